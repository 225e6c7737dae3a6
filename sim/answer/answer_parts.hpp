// These functions turn parts of a costed step into parts of its answer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/text/statement.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/evidence/nearest_run.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "sim/step/step.hpp"
#include "sim/step_cost/step_cost.hpp"
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

/// Makes one entry for each basis that some kernels rest on, with its share of kernel time.
std::vector<ProvenanceEntry> kernel_entries(const StepCost& step, const KernelCost& cost);

/// Writes "kernels measured for 93 % of kernel time, by law for 7 %", and then `fallback` for the rest of the kernels;
/// `fallback` alone where no kernel was measured anywhere.
Statement kernel_distance(const StepCost& step, const KernelCost& cost, const Statement& fallback);

/// Gives `fallback`, but good where more than half of the kernel time was measured on this very processor: steps summed
/// from such kernels were off by 4 % in the median and 17 % at most (examples/calibrated-processor, nine runs). A GPU's
/// framework runs other kernels besides (step_spread).
TrustWord kernel_trust(const StepCost& step, AcceleratorFamily family, const TrustWord& fallback);

/// Says whether any kernel follows the speed that anchors give.
bool follows_speed(const StepCost& step);

/// measure_next() lists what to measure next, so that an answer leans less on figures of others.
inline constexpr std::size_t kMostMeasurements = 5;

/// Lists what would narrow the answer most, the most first: kernels by law, transfer, curve or roofline (the heaviest
/// keys) and collectives without a curve of their own, each by its share of the step times its spread, then figures of
/// the accelerator that are assumed. `time` is that of the whole step.
std::vector<NextMeasurement> measure_next(const CostedStep& step, Seconds time);

/// States "all-reduce by torus-2d": every exchange of the step with its algorithm, or with what was measured of it.
std::vector<Statement> exchange_statements(const LoweredPlan& lowered);

/// Lists kernel speed and contention, where any kernel follows them, and the algorithms of the exchanges.
std::vector<ProvenanceEntry> exchange_provenance(const CostedStep& step);

/// Lists kernels, the stack's fixed time, memory, links and Horovod's cycles.
std::vector<ProvenanceEntry> machine_provenance(const CostedStep& step);

/// Says of an MFU and of an efficiency of scaling that is above one, in percents as they are printed, against what it
/// is; empty for others. No kernel runs past its units: MFU counts multiplications that Winograd's algorithm spares
/// (sim/kernel_cost/done_work.hpp), or kernels were timed that ran beyond the data sheet's clock.
std::vector<std::string> notes_above_one(const CostedStep& step, double mfu, double efficiency);

}  // namespace mlsim::sim
