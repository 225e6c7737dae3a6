// Collectives that other programs measured, as `mlsim calibrate --import` adds them to a profile.
#pragma once

#include <vector>

#include "calibrate/fit/collective_fit.hpp"
#include "cli/calibrate_options.hpp"
#include "cli/namespace.hpp"
#include "core/profile.hpp"

namespace mlsim::cli {

/// The sweeps of all files. Throws InputError as import/import_file.hpp.
std::vector<CollectiveSweep> imported(const CalibrateRequest& request);

/// Curves of the sweeps that `profile` now holds.
std::vector<CollectiveCurve> curves_of(const Profile& profile, const std::vector<CollectiveSweep>& sweeps);

/// Writes the profile with what the files hold, and prints its curves; with --complete-on those of few sizes completed
/// by NCCL's structure, or without a file the structure alone. Throws InputError.
void add_imports(const CalibrateRequest& request);

}  // namespace mlsim::cli
