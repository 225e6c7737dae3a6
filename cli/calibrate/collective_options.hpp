// These options of `mlsim calibrate` are for collectives, which are measured under mpirun.
#pragma once

#include "calibrate/collectives/collective_plan.hpp"
#include "cli/calibrate/calibrate_options.hpp"
#include "cli/namespace.hpp"

namespace mlsim::cli {

void add_collective_options(CLI::App& command, CalibrateOptions& options);

/// Throws InputError naming the option that is wrong.
CollectiveChoices collective_choices(const CalibrateOptions& options);

/// Refuses these options without mpirun instead of leaving them out silently. Throws InputError where one is given,
/// Unavailable where there is no mpirun either.
void refuse_collective_options(const CalibrateOptions& options);

}  // namespace mlsim::cli
