// The spread of a step is how far an answer may lie off where part of the step rests on what was measured piece by
// piece.
#pragma once

#include <vector>

#include "core/result/prediction.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "sim/step_cost/step_cost.hpp"

namespace mlsim::sim {

/// A part of a sum has its share, and one sigma of its log.
struct SpreadPart {
  double share = 0;
  double log_spread = 0;
};

/// Gives one sigma of the log of a sum whose parts are off independently of each other, not below `least`.
double combined_spread(const std::vector<SpreadPart>& parts, double least);

/// The floor is judged: a whole step measured at the same size was given 4 % before intervals were fitted
/// (docs/decisions.md, 60), and pieces timed one by one, without what runs before and beside them, tell no more.
inline constexpr double kLeastMeasuredSpread = 0.04;

/// Gives one sigma of the log of the step's time. Kernels of one basis are taken to be off together, as a slow or fast
/// machine makes them; so are measured collectives. What rests on no measurement has the spread `fallback`, and so has
/// the step where nothing does.
double step_spread(const StepBreakdown& step, const StepCost& cost, const LoweredPlan& lowered, double fallback);

}  // namespace mlsim::sim
