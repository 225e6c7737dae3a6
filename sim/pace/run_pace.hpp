// A run's pace is the pace of kernels in a run on record.
#pragma once

#include <cstddef>

#include "core/units.hpp"
#include "sim/evidence/evidence.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"

namespace mlsim::sim {

Seconds measured_step(const ParsedAnchor& run);

/// Gives the factor on the efficiency curve at which the closed-form step of `runs[place]` takes what was measured, on
/// what `asked` leans on. The evidence works it out once (Evidence::solved). Throws as make_plan.
double kernel_speed(const Evidence& runs, std::size_t place, const PredictRequest& asked);

/// Gives the contention at which that step takes what was measured with kernels at `speed`; kept likewise.
double run_contention(const Evidence& runs, std::size_t place, double speed, const PredictRequest& asked);

}  // namespace mlsim::sim
