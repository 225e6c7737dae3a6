#include "sim/exchange/measured_collective.hpp"

#include <algorithm>
#include <cmath>

#include "core/quantile.hpp"
#include "core/text/split.hpp"
#include "costs/collective_time.hpp"
#include "costs/nccl_structure.hpp"
#include "sim/collectives/nccl/system.hpp"

namespace mlsim::sim {
namespace {

double spread_of(const FitError& residual, const FitError& held_back) {
  return std::log1p((held_back.count > 0 ? held_back : residual).p90) / kNormal95;
}

double spread_of(const std::vector<std::vector<AlphaBetaSegment>>& replicas, Bytes payload) {
  double sum = 0, squares = 0;
  for (const auto& replica : replicas) {
    const Seconds time = segment_time(replica, payload);
    if (time.value <= 0) return 0;  // says nothing of its logarithm
    const double log = std::log(time.value);
    sum += log;
    squares += log * log;
  }
  const auto n = static_cast<double>(replicas.size());
  return n < 2 ? 0 : std::sqrt(std::max(0.0, squares / n - (sum / n) * (sum / n)));
}

// Gradients lie on "cpu" or "cuda"; the name is empty where no curve could match.
std::string device_of(const AcceleratorSpec& accelerator) {
  if (accelerator.family == AcceleratorFamily::gpu) return "cuda";
  return accelerator.family == AcceleratorFamily::cpu ? "cpu" : "";
}

// Tells whether the name asks for other links than the machine has: "gke-t4:nodes=4:network_bandwidth=100 Gbit/s".
bool changes_links(const std::string& name) {
  const std::vector<std::string> parts = split(name, ':');
  return std::any_of(parts.begin() + 1, parts.end(), [](const std::string& part) {
    return !part.starts_with("nodes=") && !part.starts_with("per_node=");
  });
}

// Tells whether something of machine `own` (empty: its profile's) was measured on the cluster's machine.
bool of_machine(const std::string& own, const Profile& profile, const Cluster& cluster) {
  if (changes_links(cluster.name)) return false;
  const std::string system = cluster.name.substr(0, cluster.name.find(':'));
  const auto same = [&](const std::string& name) {
    return !name.empty() && (name == cluster.machine || name == system);
  };
  if (!own.empty()) return same(own);
  const bool own_file = cluster.machine.empty() && profile.accelerator == cluster.accelerator.name;
  return own_file || same(profile.machine) || same(profile.accelerator);
}

// The text is "mpi, 2 x 1 ranks".
Statement ranks_text(const std::string& library, int nodes, int ranks_per_node) {
  return {
      named("library", library), ", ", named("nodes", nodes), " x ", named("ranks_per_node", ranks_per_node), " ranks"};
}

Statement text_of(const std::string& library, int nodes, int ranks_per_node, const Source& source,
                  const Statement& how) {
  Statement said("measured (", ranks_text(library, nodes, ranks_per_node), how);
  if (!source.date.empty()) said.add(", ", named("date", source.date));
  said.add(")");
  return said;
}

// The curve has its course from NCCL's structure; only the sizes were measured, if any.
Statement fitted_text(const CollectiveCurve& curve) {
  const auto sizes = static_cast<int>(curve.points.size());
  const NamedQuantity measured =
      sizes == 0 ? NamedQuantity{"sizes_measured", "1", 0, "no"} : named("sizes_measured", sizes);
  return {"by NCCL's structure (", ranks_text(curve.communicator, curve.nodes, curve.ranks_per_node), ", ", measured,
          sizes == 1 ? " size measured)" : " sizes measured)"};
}

MeasuredCollective by_structure(const NcclSystem& system, CollectiveKind kind) {
  const Source source{Provenance::fitted,
                      "NCCL's structure with constants fitted to eleven published nccl-tests sweeps of 1 and 2 nodes "
                      "(calibrate/published); systems left out of the fit err by 7 %, one in ten by more than 26 %",
                      "2026"};
  const Statement how{"by NCCL's structure (", ranks_text("nccl", system.nodes, system.ranks_per_node), ")"};
  return {NcclCollective{system, kind, source}, system.ranks(), how};
}

// The text is ", scaled from 2 and 4 nodes".
Statement scaled_text(const std::vector<int>& nodes) {
  Statement said(", scaled");
  for (std::size_t i = 0; i < nodes.size(); ++i)
    said.add(i == 0 ? " from " : i + 1 == nodes.size() ? " and " : ", ", named("scaled_from", nodes[i]));
  if (!nodes.empty()) said.add(" nodes");
  return said;
}

// Curves of elements as large as those asked for come first. NCCL chooses algorithm and protocol by bytes,
// whatever their type (ncclTopoGetAlgoTime, src/graph/tuning.cc), so that its curves serve others, too.
enum class Elements { as_large, other };

Statement elements_text(Elements elements, Precision precision) {
  return elements == Elements::as_large ? Statement() : Statement(", of ", named("precision", name(precision)));
}

}  // namespace

Seconds MeasuredCollective::time(Bytes payload) const {
  if (const auto* curve = std::get_if<CollectiveCurve>(&known)) return collective_time(*curve, payload);
  if (const auto* nccl = std::get_if<NcclCollective>(&known))
    return nccl_quickest(nccl->system, nccl->kind, payload, {}, fitted_nccl_constants())->time;
  return scaled_time(std::get<RankScaling>(known), ranks, payload);
}

const Source& MeasuredCollective::source() const {
  return std::visit([](const auto& each) -> const Source& { return each.source; }, known);
}

double MeasuredCollective::log_spread(Bytes payload) const {
  if (const auto* curve = std::get_if<CollectiveCurve>(&known))
    return std::max(spread_of(curve->residual, curve->held_back), spread_of(curve->replicas, payload));
  if (std::holds_alternative<NcclCollective>(known)) return spread_of(kNcclErrorOfUnseen, {});
  const auto& scaling = std::get<RankScaling>(known);
  return spread_of(scaling.residual, scaling.held_back);
}

bool MeasuredCollective::completed() const {
  const auto* curve = std::get_if<CollectiveCurve>(&known);
  return std::holds_alternative<NcclCollective>(known) || (curve != nullptr && is_fitted(*curve));
}

MeasuredCollectives::MeasuredCollectives(const Cluster& cluster, const ProfileRefs& profiles)
    : nodes_(cluster.nodes), ranks_(cluster.ranks()) {
  // A machine file's own figures of a library are nearer than other systems.
  if (ranks_ > 1 && (nodes_ < 2 || !cluster.network.contains("nccl"))) nccl_ = described_nccl_system(cluster);
  const std::string device = device_of(cluster.accelerator);
  for (const Profile& profile : profiles) {
    for (const CollectiveCurve& curve : profile.collectives) {
      if (curve.device == device && of_machine(curve.machine, profile, cluster))
        curves_.push_back(std::make_shared<const CollectiveCurve>(curve));
    }
    for (const RankScaling& scaling : profile.rank_scalings) {
      if (scaling.device == device && of_machine(scaling.machine, profile, cluster))
        scalings_.push_back(std::make_shared<const RankScaling>(scaling));
    }
  }
}

std::shared_ptr<const MeasuredCollective> MeasuredCollectives::of(CollectiveKind kind, const std::string& library,
                                                                  Bytes element) const {
  if (ranks_ < 2) return nullptr;
  for (const Elements elements : {Elements::as_large, Elements::other}) {
    if (elements == Elements::other && library != "nccl" && library != "rccl") continue;
    const auto suits = [&](const auto& each) {
      return each.kind == kind && each.communicator == library &&
             (element_size(each.precision) == element) == (elements == Elements::as_large);
    };
    for (const auto& curve : curves_) {
      if (!suits(*curve) || curve->nodes != nodes_ || curve->ranks() != ranks_) continue;
      if (kind == CollectiveKind::send_receive && !tells_latency(*curve)) continue;
      const Statement how = is_fitted(*curve) ? fitted_text(*curve)
                                              : text_of(library, nodes_, curve->ranks_per_node, curve->source,
                                                        elements_text(elements, curve->precision));
      return std::make_shared<const MeasuredCollective>(MeasuredCollective{*curve, ranks_, how});
    }
    for (const auto& scaling : scalings_) {
      if (!suits(*scaling) || scaling->ranks_per_node * nodes_ != ranks_) continue;
      Statement how = scaled_text(scaling->nodes);
      how.add(elements_text(elements, scaling->precision));
      return std::make_shared<const MeasuredCollective>(MeasuredCollective{
          *scaling, ranks_, text_of(library, nodes_, scaling->ranks_per_node, scaling->source, how)});
    }
  }
  // Messages that were measured between the nodes say more of them than other systems do.
  if (nccl_ && library == "nccl" && has_structure(kind) && point_to_point(library, element) == nullptr)
    return std::make_shared<const MeasuredCollective>(by_structure(*nccl_, kind));
  return nullptr;
}

const CollectiveCurve* MeasuredCollectives::point_to_point(const std::string& library, Bytes element) const {
  for (const auto& curve : curves_) {
    if (curve->kind == CollectiveKind::send_receive && curve->communicator == library && curve->nodes > 1 &&
        element_size(curve->precision) == element && !curve->segments.empty())
      return curve.get();
  }
  return nullptr;
}

std::vector<std::string> MeasuredCollectives::libraries() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const auto& curve : curves_) add(curve->communicator);
  for (const auto& scaling : scalings_) add(scaling->communicator);
  return names;
}

}  // namespace mlsim::sim
