// The basis of kernels is what their times in an answer rest on, as its text and provenance say it.
#pragma once

#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/text/statement.hpp"
#include "sim/evidence/run_distance.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/step_cost/step_cost.hpp"

namespace mlsim::sim {

/// Makes one entry for each basis that some kernels rest on, with its share of kernel time.
std::vector<ProvenanceEntry> kernel_entries(const StepCost& step, const KernelCost& cost);

/// Writes "kernels measured for 93 % of kernel time, by law for 7 %", and then `fallback` for the rest of the kernels;
/// `fallback` alone where no kernel was measured anywhere.
Statement kernel_distance(const StepCost& step, const KernelCost& cost, const Statement& fallback);

/// Gives `fallback`, but good where more than half of the kernel time was measured on this very accelerator: steps
/// summed from such kernels were off by 4 % in the median and 17 % at most (examples/calibrated-processor, nine runs).
TrustWord kernel_trust(const StepCost& step, const TrustWord& fallback);

/// Says whether any kernel follows the speed that anchors give.
bool follows_speed(const StepCost& step);

}  // namespace mlsim::sim
