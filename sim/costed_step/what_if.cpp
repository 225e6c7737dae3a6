#include "sim/costed_step/what_if.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "sim/collectives/hop_table.hpp"
#include "topologies/cluster/link_lookup.hpp"

namespace mlsim::sim {
namespace {

bool all_ones(const std::array<double, 5>& factors) {
  return std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; });
}

LinkEfficiency changed(LinkEfficiency efficiency, const WhatIf& what_if) {
  for (std::size_t kind = 0; kind < what_if.latency.size(); ++kind)
    efficiency.by_kind[kind].message *= what_if.latency[kind];
  efficiency.call *= what_if.call;
  return efficiency;
}

}  // namespace

bool WhatIf::changes_links() const { return !all_ones(bandwidth) || !all_ones(latency) || call != 1; }

Plan changed(Plan plan, const WhatIf& what_if) {
  plan.step.batch_per_accelerator *= what_if.batch;
  if (!what_if.changes_links()) return plan;
  plan.efficiency = changed(plan.efficiency, what_if);
  Cluster cluster = *plan.cluster;
  for (LinkIndex i = 0; i < cluster.links(); ++i) {
    Link& link = link_at(cluster.graph, i);
    link.bandwidth *= what_if.bandwidth[static_cast<std::size_t>(link.kind)];
    link.latency *= what_if.latency[static_cast<std::size_t>(link.kind)];
  }
  plan.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return plan;
}

LoweredPlan changed(const LoweredPlan& lowered, const Plan& plan, const WhatIf& what_if) {
  if (what_if.batch != 1) return lower_plan(plan, lowered.cycles);
  LoweredPlan result = lowered;
  if (!what_if.changes_links()) return result;
  HopTable hops(*plan.cluster, plan.efficiency);
  const auto change = [&](LinkEfficiency own) { return changed(std::move(own), what_if); };
  for (auto& [key, planned] : result.collectives) planned = planned.on(hops, plan.efficiency, change);
  return result;
}

}  // namespace mlsim::sim
