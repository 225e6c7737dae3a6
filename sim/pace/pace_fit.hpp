// The fitted pace of kernels is the one that explains a measured step.
#pragma once

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step_cost/step_cost.hpp"

namespace mlsim::sim {

/// Finds the kernel speed at which the closed-form step takes `measured` with the contention that it has, by bisection
/// to 1e-9. Where the fixed parts alone take longer, it is the largest factor (1000).
double solve_kernel_speed(const StepCost& step, Seconds measured);

/// Finds the contention at which the closed-form step takes `measured` at kernel speed `speed`, by bisection; from -0.5
/// (faster side by side than alone, as where a table's single run was set up worse) to 20.
double solve_contention(const StepCost& step, double speed, Seconds measured);

}  // namespace mlsim::sim
