#include "cli/imported_collectives.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "calibrate/import/import_file.hpp"
#include "calibrate/profile/measured_profile.hpp"
#include "calibrate/profile/nccl_completion.hpp"
#include "cli/calibration.hpp"
#include "cli/collective_tables.hpp"
#include "cli/command.hpp"
#include "cli/nccl_target.hpp"
#include "core/errors.hpp"

namespace mlsim::cli {
namespace {

Profile profile_to_add_to(const CalibrateRequest& request, const std::string& accelerator) {
  if (auto earlier = earlier_profile(request.output)) return *earlier;
  Profile profile;
  profile.accelerator = request.accelerator.empty() ? accelerator : request.accelerator;
  if (profile.accelerator.empty())
    throw InputError("--import", "needs --accelerator NAME, what the file's ranks ran on, or an --output to add to");
  return profile;
}

// Alike for both sizes that gradients have: returns one. What was measured of the system is not replaced.
CollectiveCurve add_unmeasured(Profile& profile, const NcclTarget& target) {
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    const CollectiveCurve curve = unmeasured_curve(target, precision);
    const auto found = std::find_if(profile.collectives.begin(), profile.collectives.end(),
                                    [&](const CollectiveCurve& each) { return same_system(each, curve); });
    if (found == profile.collectives.end())
      profile.collectives.push_back(curve);
    else if (found->points.empty())
      *found = curve;
    else
      throw InputError("--complete-on",
                       "the profile knows measured sizes of that system already, which say more; "
                       "give --import with others, or another --output");
  }
  return unmeasured_curve(target, Precision::fp32);
}

std::vector<CollectiveCurve> add_completed(Profile& profile, std::vector<CollectiveSweep> sweeps,
                                           const NcclTarget& target) {
  for (auto& sweep : sweeps)
    if (sweep.machine.empty()) sweep.machine = target.machine;
  add_sweeps(profile, sweeps, [&](const CollectiveSweep& sweep) { return completed_curve(sweep, target); });
  return curves_of(profile, sweeps);
}

}  // namespace

std::vector<CollectiveSweep> imported(const CalibrateRequest& request) {
  std::vector<CollectiveSweep> sweeps;
  for (const auto& text : request.imports) {
    const auto [path, hints] = parse_import(text);
    for (auto& sweep : import_file(path, hints)) sweeps.push_back(std::move(sweep));
  }
  return merged_sweeps(sweeps);
}

std::vector<CollectiveCurve> curves_of(const Profile& profile, const std::vector<CollectiveSweep>& sweeps) {
  std::vector<CollectiveCurve> curves;
  for (const auto& curve : profile.collectives)
    if (std::any_of(sweeps.begin(), sweeps.end(), [&](const auto& sweep) { return same_system(curve, sweep); }))
      curves.push_back(curve);
  return curves;
}

void add_imports(const CalibrateRequest& request) {
  const auto sweeps = imported(request);
  std::optional<NamedNcclTarget> on;
  if (!request.complete_on.empty()) on = nccl_target(request.complete_on);
  Profile profile = profile_to_add_to(request, on ? on->accelerator : "");
  std::vector<CollectiveCurve> curves;
  if (!on) {
    add_sweeps(profile, sweeps);
    curves = curves_of(profile, sweeps);
  } else {
    curves =
        sweeps.empty() ? std::vector{add_unmeasured(profile, on->target)} : add_completed(profile, sweeps, on->target);
  }
  write_calibration(request, profile);
  std::string text;
  for (const auto& curve : curves) text += collective_text(curve);
  write_result({}, text);
}

}  // namespace mlsim::cli
