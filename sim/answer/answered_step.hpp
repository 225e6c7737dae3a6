// An `AnsweredStep` is the simulated step as an answer shows it: with its wait for input, and as the mean of what is
// drawn.
#pragma once

#include <optional>
#include <vector>

#include "core/result/prediction.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "sim/plan/request.hpp"
#include "sim/step/step.hpp"
#include "sim/step_cost/step_cost.hpp"

namespace mlsim::sim {

/// The spread of a step is how far an answer may lie off where part of the step rests on what was measured piece by
/// piece.
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

/// This is the least spread of a GPU's step by kernels that were measured one by one: frameworks run casts, sums and
/// elementwise operators in parts besides. On a host that keeps up six of seven steps of PyTorch on an H200 lie within
/// the 90 % interval that it makes, on slower ones the kernels of 50 of 58 steps and 34 of the steps
/// (examples/calibrated-gpu).
inline constexpr double kFrameworkSpread = 0.45;

/// Gives one sigma of the log of the step's time on an accelerator of this family. Kernels of one basis are taken to be
/// off together, as a slow or fast machine makes them; so are measured collectives. What rests on no measurement has the
/// spread `fallback`, and so has the step where nothing does.
double step_spread(const StepBreakdown& step, const StepCost& cost, const LoweredPlan& lowered,
                   AcceleratorFamily family, double fallback);

struct AnsweredStep {
  StepOutcome outcome;  // of ranks that do not differ but for known slow ones
  StepBreakdown breakdown;
  std::optional<StepDistribution> distribution;
  std::optional<Prediction::Input> input;
  double log_spread = 0;  // one sigma of the log of its time
  Notes notes;            // of the input
};

AnsweredStep answered_step(const PredictRequest& request, const CostedStep& step);

}  // namespace mlsim::sim
