// `RankClasses` say which ranks of a step are alike, with the flow programs of its collectives on those classes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/fold/flow_program.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step.hpp"
#include "sim/step/step_run.hpp"

namespace mlsim::sim {

struct RankClasses {
  std::vector<RankClass> classes;
  std::map<ExchangeKey, FlowProgram> programs;  // empty at closed and message fidelity
};

/// `closed` has one class a speed and role. `folded` refines them until every collective of the step folds on the same
/// classes; where one has no quotient it is as `fluid`. `fluid` and `message` give every rank its own class.
RankClasses rank_classes(const StepInputs& inputs);

}  // namespace mlsim::sim
