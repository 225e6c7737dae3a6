#include "interop/chakra/exchange_ways.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "interop/chakra/group_layout.hpp"
#include "sim/collectives/planner.hpp"

namespace mlsim::interop {
namespace {

using Groups = std::vector<std::vector<int>>;
using WayKey = std::pair<CollectiveKind, Groups>;

bool overlap(const Groups& groups) {
  std::set<int> seen;
  for (const auto& group : groups)
    for (const int rank : group)
      if (!seen.insert(rank).second) return true;
  return false;
}

// Returns the groups of one node that lie side by side: an operation that the ranks' programs share has one id on all
// of them. Groups that overlap or differ in size are planned each by itself.
std::map<std::pair<CollectiveKind, std::uint64_t>, Groups> groups_of_nodes(const EtExchanges& exchanges) {
  std::map<std::pair<CollectiveKind, std::uint64_t>, Groups> by_node;
  for (const EtExchange& each : exchanges.all) {
    Groups& groups = by_node[{each.kind, each.id}];
    if (std::find(groups.begin(), groups.end(), each.ranks) == groups.end()) groups.push_back(each.ranks);
  }
  for (auto& [node, groups] : by_node) {
    const bool equal = std::all_of(groups.begin(), groups.end(),
                                   [&](const auto& group) { return group.size() == groups.front().size(); });
    if (!equal || overlap(groups)) groups.clear();
    std::sort(groups.begin(), groups.end());
  }
  return by_node;
}

PlannedExchange planned(const WayKey& key, Bytes largest, Bytes element, const ExchangePlace& place) {
  const auto& [kind, groups] = key;
  const Cluster& cluster = *place.cluster;
  if (kind == CollectiveKind::send_receive) {
    RankLayout pairs;
    pairs.cluster = &cluster;
    pairs.whole = false;
    pairs.shape = {{2}};
    pairs.groups = groups;
    HopTable hops(cluster, place.links);
    return plan_in_groups(pairs, kind, largest, hops);
  }
  const RankLayout layout = group_layout(cluster, groups);
  if (!layout.whole) {
    HopTable hops(cluster, place.links);
    return plan_in_groups(layout, kind, largest, hops, place.algorithm);
  }
  PlannedCollective plan = plan_collective(cluster, kind, largest, place.links, place.algorithm);
  auto known = place.algorithm ? nullptr : place.measured.of(kind, place.communicator, element);
  if (!known) return plan;
  ScheduleCost there = plan.cost;
  return MeasuredExchange(std::move(known), std::move(plan), std::move(there));
}

}  // namespace

ExchangeWays planned_ways(const EtExchanges& exchanges, const ExchangePlace& place) {
  const auto by_node = groups_of_nodes(exchanges);
  std::map<WayKey, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < exchanges.all.size(); ++i) {
    const EtExchange& each = exchanges.all[i];
    if (each.ranks.size() < 2) continue;
    const Groups& groups = by_node.at({each.kind, each.id});
    members[{each.kind, groups.empty() ? Groups{each.ranks} : groups}].push_back(i);
  }
  ExchangeWays ways;
  ways.of.assign(exchanges.all.size(), ExchangeWays::kNone);
  for (const auto& [key, indices] : members) {
    Bytes largest, total, element;
    std::size_t count = 0;
    for (const std::size_t i : indices) {
      const EtExchange& each = exchanges.all[i];
      ways.of[i] = ways.all.size();
      largest = max(largest, each.payload);
      element = each.element;
      if (each.ranks != exchanges.all[indices.front()].ranks) continue;
      total += each.payload;
      ++count;
    }
    ways.all.push_back({key.first, key.second, largest, total, count, planned(key, largest, element, place)});
  }
  return ways;
}

}  // namespace mlsim::interop
