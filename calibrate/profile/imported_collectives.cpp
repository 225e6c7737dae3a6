#include "calibrate/profile/imported_collectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "calibrate/fit/nccl_fit.hpp"
#include "calibrate/import/import_file.hpp"
#include "calibrate/profile/measured_profile.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

// One size says little of a curve's shape: in the fit's own test they are two or more.
constexpr std::size_t kFewestToSharpen = 2;

// Points that sharpened a curve say less of the other sizes than this error does.
constexpr FitError kOfUnseenSystems = kNcclErrorOfUnseen;

constexpr std::string_view kCompleted = "; completed by NCCL's structure";

std::string sizes_text(std::size_t sizes) { return fmt::format("{} size{}", sizes, sizes == 1 ? "" : "s"); }

void check_ranks(const CollectiveSweep& sweep, const NcclTarget& target) {
  const NcclSystem& system = target.system;
  if (sweep.nodes == system.nodes && sweep.ranks_per_node == system.ranks_per_node) return;
  throw InputError(
      sweep.source.source,
      fmt::format("was measured on {} x {} ranks, not on {} x {}; name the system that it was measured on, "
                  "as {}:nodes={}",
                  sweep.nodes, sweep.ranks_per_node, system.nodes, system.ranks_per_node, target.topology,
                  sweep.nodes));
}

void check_kind(const CollectiveSweep& sweep) {
  if (sweep.kind == CollectiveKind::all_reduce && sweep.communicator == "nccl") return;
  throw InputError(sweep.source.source,
                   fmt::format("holds {} of {} by {}: only NCCL's all-reduce is completed to a curve; measure {} sizes "
                               "or more, or leave the file out",
                               sizes_text(sweep.points.size()), name(sweep.kind), sweep.communicator, kSizesOfSweep));
}

// Tells whether the structure misses the measured sizes by more than those of other systems.
bool is_unlike(const CollectiveCurve& curve) { return curve.residual.p90 > kOfUnseenSystems.p90; }

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

CollectiveCurve completed_curve(CollectiveSweep sweep, const NcclTarget& target) {
  if (sweep.machine.empty()) sweep.machine = target.machine;
  if (!target.machine.empty() && sweep.machine != target.machine)
    throw InputError(sweep.source.source, fmt::format("is said to be of {}, not {}", sweep.machine, target.topology));
  check_ranks(sweep, target);
  CollectiveCurve measured = fit_collective(sweep);
  const std::size_t sizes = measured.points.size();
  if (sizes >= kSizesOfSweep) return measured;
  check_kind(sweep);
  NcclSweep few{target.topology, target.system, {}, {}};
  for (const auto& point : measured.points) few.points.push_back({point.payload, point.time.median});
  const bool sharpens = sizes >= kFewestToSharpen;
  CollectiveCurve curve =
      nccl_curve(sharpens ? sharpened(fitted_nccl_constants(), few) : fitted_nccl_constants(), few, "");
  curve.machine = sweep.machine;
  curve.precision = sweep.precision;
  curve.points = measured.points;
  curve.held_back = kOfUnseenSystems;
  if (is_unlike(curve)) {
    curve.held_back = curve.residual;
    curve = bent_to_points(std::move(curve));
  }
  curve.source.source = fmt::format("{}{}, constants of published sweeps{}", sweep.source.source, kCompleted,
                                    sharpens ? fmt::format(" sharpened by {}", sizes_text(sizes)) : "");
  curve.source.date = sweep.source.date;
  return curve;
}

CollectiveCurve unmeasured_curve(const NcclTarget& target, Precision precision) {
  CollectiveCurve curve =
      nccl_curve(fitted_nccl_constants(), {target.topology, target.system, {}, {}}, "published sweeps");
  curve.machine = target.machine;
  curve.precision = precision;
  curve.held_back = kOfUnseenSystems;
  return curve;
}

CollectiveSweep measured_part(const CollectiveCurve& curve) {
  CollectiveSweep sweep{curve.kind,  curve.communicator,   curve.device, curve.precision, curve.machine,
                        curve.nodes, curve.ranks_per_node, curve.points, curve.source};
  const auto begin = sweep.source.source.find(kCompleted);
  if (begin == std::string::npos) return sweep;
  sweep.source.source.erase(begin);
  sweep.source.provenance = Provenance::measured;
  return sweep;
}

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
