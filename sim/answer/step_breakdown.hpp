// Where the time of a simulated step went, read off its timeline.
#pragma once

#include "core/prediction.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "sim/step/step.hpp"

namespace mlsim::sim {

/// Breakdown of the most common class of ranks. `framework` is what it adds before the first kernel. Exposed
/// communication is the time in which only the communication stream is busy; what goes beyond `nominal` (the step
/// without slow ranks) is straggler wait.
StepBreakdown step_breakdown(const StepOutcome& outcome, const Plan& plan, Seconds framework, Seconds nominal);

}  // namespace mlsim::sim
