// step_breakdown() reads off a simulated step's timeline where its time went.
#pragma once

#include "core/result/prediction.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "sim/step/step.hpp"

namespace mlsim::sim {

/// Breaks down the outcome's shown class, of ranks that are all as fast. `framework` is what it adds before the first
/// kernel. Every moment of the step is in one part: in the first of passes, optimizer, input, exchange and waits for
/// Horovod's cycle that something runs of; what is left is the pipeline's bubble, or the exchange of other ranks.
StepBreakdown step_breakdown(const StepOutcome& outcome, const Plan& plan, Seconds framework);

}  // namespace mlsim::sim
