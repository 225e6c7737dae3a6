#include "interop/chakra/exchange_ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/collectives/rank_layout.hpp"

namespace mlsim::interop {
namespace {

CollectiveKind kind_of(EtCollective kind) {
  switch (kind) {
    case EtCollective::all_gather: return CollectiveKind::all_gather;
    case EtCollective::reduce_scatter:
    case EtCollective::reduce_scatter_block: return CollectiveKind::reduce_scatter;
    case EtCollective::all_to_all: return CollectiveKind::all_to_all;
    case EtCollective::broadcast: return CollectiveKind::broadcast;
    default: return CollectiveKind::all_reduce;
  }
}

EtExchange collective_exchange(const EtNode& node, const EtRanks& run) {
  EtExchange exchange;
  exchange.kind = kind_of(*node.collective);
  exchange.ranks = run.group_of(node);
  const bool part = exchange.kind == CollectiveKind::all_gather;
  exchange.payload = Bytes(static_cast<double>(node.bytes) * (part ? static_cast<double>(exchange.ranks.size()) : 1));
  exchange.element = Bytes(static_cast<double>(node.element_bytes.value_or(4)));
  exchange.id = node.id;
  return exchange;
}

EtExchange sent_message(const EtNode& node) {
  return {CollectiveKind::send_receive,
          {static_cast<int>(node.sender), static_cast<int>(node.receiver)},
          Bytes(static_cast<double>(node.bytes)),
          Bytes(4),
          node.id};
}

// Seen is what has been seen of one exchange.
struct Seen {
  std::size_t index = 0, ranks = 0;
  int first_rank = 0;
};

class ExchangeMatch {
 public:
  explicit ExchangeMatch(const EtRanks& run) : run_(run) {}

  EtExchanges all() {
    for (int rank = 0; rank < static_cast<int>(run_.ranks.size()); ++rank) add(rank);
    for (const auto& [key, seen] : seen_) check_complete(seen);
    return std::move(exchanges_);
  }

 private:
  // A key has the group or "send", sender, receiver, tag, and the count of such nodes so far.
  using Key = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::size_t>;

  void add(int rank) {
    std::map<Key, std::size_t> counts;
    auto& of = exchanges_.of.emplace_back();
    for (const EtNode& node : run_.ranks[static_cast<std::size_t>(rank)].nodes) {
      of.push_back(EtExchanges::kNone);
      if (node.kind < EtKind::send) continue;
      const bool collective = node.kind == EtKind::collective;
      const std::string group = node.group == "0" && !run_.groups.contains("0") ? "" : node.group;
      Key key = collective ? Key{group, 0, 0, 0, 0} : Key{"send", node.sender, node.receiver, node.tag, 0};
      std::get<4>(key) = counts[key]++;
      of.back() = joined(key, rank, collective ? collective_exchange(node, run_) : sent_message(node), node);
    }
  }

  std::size_t joined(const Key& key, int rank, const EtExchange& exchange, const EtNode& node) {
    const auto [at, fresh] = seen_.try_emplace(key, Seen{exchanges_.all.size(), 0, rank});
    if (fresh) exchanges_.all.push_back(exchange);
    ++at->second.ranks;
    const EtExchange& first = exchanges_.all[at->second.index];
    if (first.kind != exchange.kind || first.payload != exchange.payload)
      throw InputError(
          run_.files[static_cast<std::size_t>(rank)],
          fmt::format("node {} (\"{}\") is {} of {:.0f} bytes; what rank {} has in its place is {} of {:.0f}", node.id,
                      node.name.substr(0, 60), name(exchange.kind), exchange.payload.value, at->second.first_rank,
                      name(first.kind), first.payload.value));
    return at->second.index;
  }

  void check_complete(const Seen& seen) const {
    const EtExchange& exchange = exchanges_.all[seen.index];
    if (seen.ranks == exchange.ranks.size()) return;
    const std::string& file = run_.files[static_cast<std::size_t>(seen.first_rank)];
    if (exchange.kind == CollectiveKind::send_receive)
      throw InputError(file, fmt::format("node {}, a message from rank {} to {}, is not on both of them", exchange.id,
                                         exchange.ranks[0], exchange.ranks[1]));
    throw InputError(file, fmt::format("node {}, {} of {} ranks, is on {} of them only", exchange.id,
                                       name(exchange.kind), exchange.ranks.size(), seen.ranks));
  }

  const EtRanks& run_;
  EtExchanges exchanges_;
  std::map<Key, Seen> seen_;
};

// How a group lies on the grid or over the nodes; one dimension where it is no box and where the nodes hold unequal
// parts of it.
Grid shape_of(const Cluster& cluster, const std::vector<int>& group) {
  if (!cluster.grid) return shape_on_nodes(cluster, group);
  const auto box = box_of(*cluster.grid, group);
  if (!box) return {{static_cast<int>(group.size())}};
  Grid shape;
  for (std::size_t d = 0; d < box->size(); ++d) {
    const int size = static_cast<int>((*box)[d].size());
    shape.push_back({size, (*cluster.grid)[d].wraps && size == (*cluster.grid)[d].size});
  }
  return shape;
}

// The groups have equal size, no rank twice. Their ranks are put in the order of their nodes, or of the grid; where
// each holds as many ranks of each node (or of each row) that is the layout's inner dimension.
RankLayout group_layout(const Cluster& cluster, std::vector<std::vector<int>> groups) {
  if (groups.size() == 1 && static_cast<int>(groups.front().size()) == cluster.ranks()) return whole_layout(cluster);
  RankLayout layout;
  layout.cluster = &cluster;
  layout.whole = false;
  const auto place = [&](int rank) { return std::pair(cluster.graph[cluster.rank_vertex[rank]].node, rank); };
  for (std::vector<int>& group : groups) std::ranges::sort(group, {}, place);
  layout.groups = std::move(groups);
  layout.shape = shape_of(cluster, layout.groups.front());
  for (const auto& group : layout.groups)
    if (shape_of(cluster, group) != layout.shape) layout.shape = {{layout.group_size()}};
  return layout;
}

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
                                   [size = groups.front().size()](const auto& group) { return group.size() == size; });
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

EtExchanges exchanges_of(const EtRanks& run) { return ExchangeMatch(run).all(); }

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
