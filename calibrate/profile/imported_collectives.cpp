#include "calibrate/profile/imported_collectives.hpp"

#include <algorithm>
#include <utility>

#include "calibrate/import/import_file.hpp"
#include "calibrate/profile/measured_profile.hpp"
#include "calibrate/profile/nccl_completion.hpp"
#include "core/errors.hpp"

namespace mlsim::calibrate {

std::vector<CollectiveSweep> imported_sweeps(const std::vector<std::string>& imports) {
  std::vector<CollectiveSweep> sweeps;
  for (const auto& text : imports) {
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

std::vector<CollectiveCurve> add_completed(Profile& profile, std::vector<CollectiveSweep> sweeps,
                                           const NcclTarget& target) {
  for (auto& sweep : sweeps)
    if (sweep.machine.empty()) sweep.machine = target.machine;
  add_sweeps(profile, sweeps, [&](const CollectiveSweep& sweep) { return completed_curve(sweep, target); });
  return curves_of(profile, sweeps);
}

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
      throw InputError(
          "the profile knows measured sizes of that system already, which say more; "
          "import files of others, or choose another --output");
  }
  return unmeasured_curve(target, Precision::fp32);
}

}  // namespace mlsim::calibrate
