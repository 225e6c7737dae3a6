// `ImportedSweeps` are collectives that other programs measured, and these functions teach them to a profile.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"
#include "core/profile/profile.hpp"
#include "costs/nccl_system.hpp"

namespace mlsim::calibrate {

/// A sweep of so many sizes and more tells more than NCCL's structure does: on published sweeps of systems that were
/// left out of the fit, other sizes than the measured ones are missed in the median by 6 % with the structure and 5 %
/// with the sweep at seven sizes, 8 % by both at five, 9 and 11 % at three.
inline constexpr std::size_t kSizesOfSweep = 7;

/// Completes an all-reduce measured at few sizes by NCCL's structure on the system's hardware. Makes the curve of a
/// sweep of fewer sizes: by the constants of published sweeps, from two sizes on sharpened by them, with the sweep's
/// points, the structure's errors at these as `residual`, and as `held_back` its errors on systems it was not fitted
/// to, or the residual where that is wider; the curve is then bent to the points. Its machine is the target's, its
/// provenance `fitted`. A sweep of more sizes is stored as it is, as by fit_collective. Throws InputError where it was
/// made on other ranks or another machine than the target's, and, of few sizes, where it is no all-reduce by NCCL.
CollectiveCurve completed_curve(CollectiveSweep sweep, const NcclTarget& target);

/// Makes the curve without any measured size.
CollectiveCurve unmeasured_curve(const NcclTarget& target, Precision precision);

/// Returns what was measured of a curve, as it was before it was completed.
CollectiveSweep measured_part(const CollectiveCurve& curve);

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

/// Adds the sweeps, those of few sizes completed by NCCL's structure on `target`. Returns the
/// curves. Throws InputError as completed_curve().
std::vector<CollectiveCurve> add_completed(Profile& profile, std::vector<CollectiveSweep> sweeps,
                                           const NcclTarget& target);

/// Adds what NCCL's structure alone says of `target`, for both sizes that gradients have. Returns the curve, which is
/// the same for both. Throws InputError where the profile knows measured sizes of that system, which say more.
CollectiveCurve add_unmeasured(Profile& profile, const NcclTarget& target);

}  // namespace mlsim::calibrate
