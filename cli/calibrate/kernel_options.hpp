// These options of `mlsim calibrate` are for kernels.
#pragma once

#include "calibrate/measure_plan.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/namespace.hpp"

namespace mlsim::cli {

void add_kernel_options(CLI::App& command, CalibrateOptions& options);

/// Throws InputError naming the option that is wrong.
PlanChoices kernel_choices(const CalibrateOptions& options);

/// Refuses these options under mpirun instead of leaving them out silently. Throws InputError where one is given.
void refuse_kernel_options(const CalibrateOptions& options);

}  // namespace mlsim::cli
