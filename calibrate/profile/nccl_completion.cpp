#include "calibrate/profile/nccl_completion.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/fit/nccl_fit.hpp"
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

}  // namespace mlsim::calibrate
