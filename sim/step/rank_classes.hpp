// Which ranks of a step are alike, and the flow programs of its collectives on those classes.
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

/// closed: one class a speed and role. folded: refined until every collective of the step folds on the same classes;
/// where one has no quotient, as fluid. fluid and message: every rank its own class.
RankClasses rank_classes(const StepInputs& inputs);

}  // namespace mlsim::sim
