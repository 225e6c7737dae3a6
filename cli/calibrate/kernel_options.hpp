// These options of `mlsim calibrate` are for kernels.
#pragma once

#include "calibrate/measure_plan.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/namespace.hpp"

namespace mlsim::cli {

void add_kernel_options(CLI::App& command, CalibrateOptions& options);

/// Throws InputError naming the option that is wrong.
PlanChoices kernel_choices(const CalibrateOptions& options);

/// Under mpirun: an option of the other subject is not silently left out. Throws InputError where one is given.
void refuse_kernel_options(const CalibrateOptions& options);

}  // namespace mlsim::cli
