// `ImportedSweeps` are collectives that other programs measured, and these functions teach them to a profile.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/profile.hpp"
#include "costs/nccl_system.hpp"

namespace mlsim::calibrate {

/// The sweeps are those that files hold; `fresh` are the ones that hold something new.
struct ImportedSweeps {
  std::vector<CollectiveSweep> all, fresh;
  std::vector<std::string> repeated;  // files whose very launches the profile or an earlier file has
};

/// Reads the sweeps of all files, each "FILE[:KEY=VALUE,...]", of `machine` where they name none. One log given twice
/// is no second launch: a sweep whose every time is known is not fresh. Throws InputError as import/import_file.hpp.
ImportedSweeps imported_sweeps(const std::vector<std::string>& imports, const Profile& profile,
                               const std::string& machine = "");

/// Returns the curves of the sweeps that `profile` now holds.
std::vector<CollectiveCurve> curves_of(const Profile& profile, const std::vector<CollectiveSweep>& sweeps);

/// Adds the sweeps, those of few sizes completed by NCCL's structure on `target` (nccl_completion.hpp). Returns the
/// curves. Throws InputError as completed_curve().
std::vector<CollectiveCurve> add_completed(Profile& profile, std::vector<CollectiveSweep> sweeps,
                                           const NcclTarget& target);

/// Adds what NCCL's structure alone says of `target`, for both sizes that gradients have. Returns the curve, which is
/// the same for both. Throws InputError where the profile knows measured sizes of that system, which say more.
CollectiveCurve add_unmeasured(Profile& profile, const NcclTarget& target);

}  // namespace mlsim::calibrate
