// step_distribution() draws the steps of a run whose ranks differ: mean, tail, and what the collectives absorb.
#pragma once

#include <optional>

#include "core/result/prediction.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "sim/step/step.hpp"
#include "sim/stragglers/rank_delays.hpp"

namespace mlsim::sim {

/// Draws the model's steps and times each; empty where it draws nothing. `even` is the outcome of the same step with
/// the cluster's known slow ranks only.
///
/// At message fidelity each step is simulated message by message with every rank at its own pace, but for late input;
/// what the collectives absorb is how much later the steps would end if every collective took its undisturbed time
/// from its last rank on. Elsewhere they do take that time, and what `even` lies above or below the closed form is
/// added to every step.
std::optional<StepDistribution> step_distribution(const StragglerOptions& options, std::uint64_t seed,
                                                  const LoweredPlan& lowered, const StepInputs& inputs,
                                                  const StepOutcome& even);

}  // namespace mlsim::sim
