#include "sim/collectives/nccl/nccl_planner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/text/errors.hpp"
#include "costs/nccl_structure.hpp"
#include "costs/nccl_tuner_table.hpp"
#include "sim/collectives/nccl/choice.hpp"
#include "sim/collectives/nccl/system.hpp"

namespace mlsim::sim {
namespace {

std::vector<std::string> schedules_of(NcclAlgorithm algorithm) {
  if (algorithm == NcclAlgorithm::tree) return {"hierarchical-tree", "tree"};
  return {"nvlink-rings", "hierarchical", "ring"};
}

NcclAlgorithm nccl_algorithm_of(const std::string& schedule) {
  for (const auto algorithm : {NcclAlgorithm::ring, NcclAlgorithm::tree}) {
    const auto names = schedules_of(algorithm);
    if (std::find(names.begin(), names.end(), schedule) != names.end()) return algorithm;
  }
  throw Infeasible(fmt::format("NCCL has no {}; its rings are {} here, its trees {}", schedule,
                               fmt::join(schedules_of(NcclAlgorithm::ring), ", "),
                               fmt::join(schedules_of(NcclAlgorithm::tree), ", ")));
}

struct Planned {
  NcclVariant variant;
  PlannedCollective plan;
};

class Planner {
 public:
  Planner(const Cluster& cluster, CollectiveKind kind, Bytes bytes, const LinkEfficiency& efficiency,
          const NcclRequest& request)
      : cluster_(cluster),
        kind_(kind),
        bytes_(bytes),
        efficiency_(efficiency),
        request_(request),
        system_(nccl_system(cluster)) {
    filter_.protocol = request.protocol;
    if (request.algorithm) filter_.algorithms = {nccl_algorithm_of(*request.algorithm)};
    if (request.protocol == NcclProtocol::ll128 && !allows_ll128(system_))
      throw Infeasible(
          fmt::format("NCCL has no LL128 on {}: it needs Volta or later, NVLink and, between nodes, RDMA "
                      "NICs at the GPUs' own PCIe switches (not EFA or TCPXO); ll and simple run",
                      cluster.name));
  }

  PlannedCollective plan() const {
    const Planned quickest = least(simulated_variants());
    if (!request_.as_chosen) {
      PlannedCollective result = quickest.plan;
      result.reason = {named("variant", text(quickest.variant)), ", the quickest",
                       request_.protocol || request_.algorithm ? " of what is left" : ""};
      return result;
    }
    const NcclEstimate believed = *nccl_choice(system_, kind_, bytes_, filter_);
    const bool in_switch = !has_schedule(believed.variant);
    const NcclEstimate run = in_switch ? *nccl_choice(system_, kind_, bytes_, on_schedules()) : believed;
    Planned chosen = least({run.variant});
    Statement& reason = chosen.plan.reason;
    reason = {"NCCL would choose ", named("choice", text(believed.variant)), " (its own estimate ",
              named("choice_estimate", believed.time), ")"};
    if (in_switch) reason.add(nvls_reason(believed.variant, run));
    reason.add("; in closed form ", named("closed_form", chosen.plan.closed_form));
    if (quickest.variant == run.variant)
      reason.add(", the quickest of the variants");
    else
      reason.add("; the quickest would be ", named("quickest", text(quickest.variant)), ", ",
                 named("quickest_time", quickest.plan.closed_form));
    return chosen.plan;
  }

 private:
  static bool has_schedule(const NcclVariant& variant) {
    return variant.algorithm == NcclAlgorithm::ring || variant.algorithm == NcclAlgorithm::tree;
  }

  NcclFilter on_schedules() const {
    NcclFilter filter = filter_;
    if (filter.algorithms.empty()) filter.algorithms = {NcclAlgorithm::ring, NcclAlgorithm::tree};
    return filter;
  }

  Statement nvls_reason(const NcclVariant& nvls, const NcclEstimate& run) const {
    Statement said;
    if (kind_ == CollectiveKind::all_reduce)
      said = {", ", named("fitted", nccl_time(system_, kind_, nvls, bytes_)), " by fitted constants"};
    said.add(", whose sums in the switches are not simulated; runs ", named("runs", text(run.variant)),
             " (its own estimate ", named("runs_estimate", run.time), ")");
    return said;
  }

  std::vector<NcclVariant> simulated_variants() const {
    std::vector<NcclVariant> variants;
    for (const NcclEstimate& estimate : nccl_estimates(system_, kind_, bytes_)) {
      if (has_schedule(estimate.variant) && filter_.lets_through(estimate.variant))
        variants.push_back(estimate.variant);
    }
    return variants;
  }

  // Finds the quickest schedule of some variants; of equals the first.
  Planned least(const std::vector<NcclVariant>& variants) const {
    std::optional<Planned> best;
    const auto possible = possible_algorithms(cluster_, kind_);
    for (const NcclVariant& variant : variants) {
      const LinkEfficiency links = protocol_links(efficiency_, variant);
      HopTable hops(cluster_, links);
      for (const std::string& schedule : schedules_of(variant.algorithm)) {
        if (request_.algorithm && schedule != *request_.algorithm) continue;
        if (std::find(possible.begin(), possible.end(), schedule) == possible.end()) continue;
        PlannedCollective plan = cost_collective(schedule, kind_, bytes_, hops);
        if (best && best->plan.closed_form <= plan.closed_form) continue;
        plan.links = links;
        best = Planned{variant, std::move(plan)};
      }
    }
    if (!best)
      throw Infeasible(fmt::format("{} cannot run {} on {}; these can: {}", request_.algorithm.value_or("NCCL"),
                                   name(kind_), cluster_.name, fmt::join(possible, ", ")));
    return *best;
  }

  const Cluster& cluster_;
  CollectiveKind kind_;
  Bytes bytes_;
  const LinkEfficiency& efficiency_;
  const NcclRequest& request_;
  NcclSystem system_;
  NcclFilter filter_;
};

}  // namespace

LinkEfficiency protocol_links(const LinkEfficiency& simple, const NcclVariant& variant) {
  static constexpr std::array<double, 3> kShare{0.5, 0.92, 1};
  const NcclTunerTable& table = nccl_tuner_table();
  const auto p = static_cast<std::size_t>(variant.protocol);
  const bool tree = variant.algorithm == NcclAlgorithm::tree;
  LinkEfficiency links = simple;
  // Simple's own hops stand for the ring's in the links as they are given.
  const auto change = [&](LinkKind kind, const auto& hops, const auto& ring_hops) {
    const Seconds message = links[kind].message + microseconds(hops[p] - ring_hops[2]);
    links[kind].message = max(Seconds(0), message);
    links[kind].share *= kShare[p];
  };
  change(LinkKind::nvlink, tree ? table.tree_nvlink : table.ring_nvlink, table.ring_nvlink);
  change(LinkKind::pcie, tree ? table.tree_pcie : table.ring_pcie, table.ring_pcie);
  change(LinkKind::nic, tree ? table.tree_network : table.ring_network, table.ring_network);
  return links;
}

PlannedCollective plan_with_nccl(const Cluster& cluster, CollectiveKind kind, Bytes bytes,
                                 const LinkEfficiency& efficiency, const NcclRequest& request) {
  const Planner planner(cluster, kind, bytes, efficiency, request);
  const bool tuned = kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
                     kind == CollectiveKind::all_gather;
  if (!tuned || cluster.ranks() < 2) return plan_collective(cluster, kind, bytes, efficiency, request.algorithm);
  return planner.plan();
}

}  // namespace mlsim::sim
