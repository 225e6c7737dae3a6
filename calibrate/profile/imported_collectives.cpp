#include "calibrate/profile/imported_collectives.hpp"

#include <algorithm>
#include <utility>

#include "calibrate/import/import_file.hpp"
#include "calibrate/profile/measured_profile.hpp"
#include "calibrate/profile/nccl_completion.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {

namespace {

// Tells whether all launches of a point are among those of another.
bool holds(const CollectivePoint& known, const CollectivePoint& point) {
  std::vector<Seconds> left = known.launches;
  for (const Seconds launch : point.launches) {
    const auto found = std::find(left.begin(), left.end(), launch);
    if (found == left.end()) return false;
    left.erase(found);
  }
  return true;
}

// Times are printed with three digits and more, so that two launches do not agree in all sizes.
template <class Known>
bool holds_launches(const std::vector<Known>& known, const CollectiveSweep& sweep) {
  const auto of_system =
      std::find_if(known.begin(), known.end(), [&](const Known& each) { return same_system(each, sweep); });
  if (of_system == known.end()) return false;
  const auto is_known = [&](const CollectivePoint& point) {
    return std::any_of(of_system->points.begin(), of_system->points.end(), [&](const CollectivePoint& each) {
      return each.payload == point.payload && holds(each, point);
    });
  };
  return std::all_of(sweep.points.begin(), sweep.points.end(), is_known);
}

}  // namespace

ImportedSweeps imported_sweeps(const std::vector<std::string>& imports, const Profile& profile,
                               const std::string& machine) {
  ImportedSweeps imported;
  for (const auto& text : imports) {
    const auto [path, hints] = parse_import(text);
    bool any_fresh = false;
    for (CollectiveSweep sweep : import_file(path, hints)) {
      if (sweep.machine.empty()) sweep.machine = machine;
      imported.all.push_back(sweep);
      if (holds_launches(profile.collectives, sweep) || holds_launches(imported.fresh, sweep)) continue;
      imported.fresh.push_back(sweep);
      imported.fresh = merged_sweeps(imported.fresh);
      any_fresh = true;
    }
    if (!any_fresh) imported.repeated.push_back(path);
  }
  return imported;
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
