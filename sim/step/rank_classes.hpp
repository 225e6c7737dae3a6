// `RankClasses` say which ranks of a step are alike, with the flow programs of its collectives on those classes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/fold/flow_program.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step.hpp"
#include "sim/step/step_run.hpp"
#include "sim/step/step_schedule.hpp"

namespace mlsim::sim {

/// shown_class() chooses the ranks whose parts of a step stand for all.
/// The class is that of the first of the fastest ranks of the stage with the most to compute, which the others wait
/// for: the same rank however they are folded. Classes are numbered by their first rank.
std::uint32_t shown_class(const StepSchedule& schedule, const std::vector<RankClass>& classes);

struct RankClasses {
  std::vector<RankClass> classes;
  std::map<ExchangeKey, FlowProgram> programs;  // empty at closed and message fidelity
};

/// `closed` has one class a speed and role. `folded` refines them until every collective of the step folds on the same
/// classes; where one has no quotient it is as `fluid`. `fluid` and `message` give every rank its own class.
RankClasses rank_classes(const StepInputs& inputs);

}  // namespace mlsim::sim
