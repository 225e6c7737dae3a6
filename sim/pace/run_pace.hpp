// A run's pace is the pace of kernels in a run on record.
#pragma once

#include <cstddef>

#include "core/units.hpp"
#include "sim/evidence/evidence.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "sim/step_cost/step_cost.hpp"

namespace mlsim::sim {

/// The fitted pace of kernels is the one that explains a measured step.
/// Finds the kernel speed at which the closed-form step takes `measured` with the contention that it has, by bisection
/// to 1e-9. Where the fixed parts alone take longer, it is the largest factor (1000).
double solve_kernel_speed(const StepCost& step, Seconds measured);

/// Finds the contention at which the closed-form step takes `measured` at kernel speed `speed`, by bisection; from -0.5
/// (faster side by side than alone, as where a table's single run was set up worse) to 20.
double solve_contention(const StepCost& step, double speed, Seconds measured);

Seconds measured_step(const ParsedAnchor& run);

/// Gives the factor on the efficiency curve at which the closed-form step of `runs[place]` takes what was measured, on
/// what `asked` leans on. The evidence works it out once (Evidence::solved). Throws as make_plan.
double kernel_speed(const Evidence& runs, std::size_t place, const PredictRequest& asked);

/// Gives the contention at which that step takes what was measured with kernels at `speed`; kept likewise.
double run_contention(const Evidence& runs, std::size_t place, double speed, const PredictRequest& asked);

}  // namespace mlsim::sim
