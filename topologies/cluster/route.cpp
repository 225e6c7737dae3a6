#include "topologies/cluster/route.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <queue>
#include <span>

#include "core/text/errors.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/cluster/place.hpp"

namespace mlsim::topologies {
namespace {

using Vertices = std::vector<std::uint32_t>;

constexpr std::size_t kUsualWalk = 8;  // vertices, from a GPU over NIC and switch to a GPU

/// Finds the links along a walk; empty where one of them has failed.
std::optional<Route> along(const Cluster& cluster, const Vertices& walk) {
  Route result;
  result.links.reserve(walk.size());
  for (std::size_t i = 1; i < walk.size(); ++i) {
    const auto link = find_link(cluster.graph, walk[i - 1], walk[i]);
    if (!link) return std::nullopt;
    result.links.push_back(*link);
    result.latency += cluster.link(*link).latency;
  }
  return result;
}

/// Walks dimension by dimension, along X first, the shorter way round.
Vertices grid_walk(const Cluster& cluster, int from, int to) {
  Vertices walk{cluster.rank_vertex[from]};
  int stride = 1;
  for (const GridDimension& dimension : *cluster.grid) {
    const int size = dimension.size, goal = to / stride % size;
    const int step = leads_up(from / stride % size, goal, dimension) ? 1 : size - 1;
    for (int at = from / stride % size; at != goal;) {
      const int next = (at + step) % size;
      from += (next - at) * stride;
      walk.push_back(cluster.rank_vertex[from]);
      at = next;
    }
    stride *= size;
  }
  return walk;
}

/// Finds the relay between two accelerators without a link of their own: over the fastest pair of links, lowest rank
/// first.
std::optional<std::uint32_t> nvlink_relay(const Cluster& cluster, std::uint32_t from, std::uint32_t to) {
  std::optional<std::uint32_t> best;
  BytesPerSecond best_bandwidth;
  for (const std::uint32_t relay : neighbours(cluster.graph, from, VertexKind::accelerator)) {
    const auto second = find_link(cluster.graph, relay, to);
    if (!second) continue;
    const auto first = find_link(cluster.graph, from, relay);
    const auto bandwidth = min(cluster.link(*first).bandwidth, cluster.link(*second).bandwidth);
    if (best && bandwidth <= best_bandwidth) continue;
    best = relay;
    best_bandwidth = bandwidth;
  }
  return best;
}

/// Lists the vertex and those above it in the PCIe tree, up to the host.
Vertices pcie_ancestors(const ClusterGraph& graph, std::uint32_t vertex) {
  Vertices chain;
  chain.reserve(kUsualWalk);
  chain.push_back(vertex);
  while (graph[chain.back()].kind != VertexKind::host) {
    const bool at_switch = graph[chain.back()].kind == VertexKind::pcie_switch;
    auto above = last_neighbour(graph, chain.back(), at_switch ? VertexKind::host : VertexKind::pcie_switch);
    if (!above) above = last_neighbour(graph, chain.back(), VertexKind::host);
    if (!above) break;
    chain.push_back(*above);
  }
  return chain;
}

Vertices node_walk(const Cluster& cluster, std::uint32_t from, std::uint32_t to) {
  const auto& graph = cluster.graph;
  if (find_link(graph, from, to)) return {from, to};
  if (cluster.interconnect == Interconnect::nvswitch) {
    if (const auto hub = last_neighbour(graph, from, VertexKind::link_switch)) return {from, *hub, to};
  }
  if (cluster.interconnect == Interconnect::nvlink_mesh) {
    if (const auto relay = nvlink_relay(cluster, from, to)) return {from, *relay, to};
  }
  Vertices up = pcie_ancestors(graph, from);
  Vertices down = pcie_ancestors(graph, to);
  const auto shared = std::find_first_of(up.begin(), up.end(), down.begin(), down.end());
  if (shared == up.end()) return {from, to};  // no link: the caller looks for a detour
  const auto turn = std::find(down.begin(), down.end(), *shared);
  up.erase(shared + 1, up.end());
  up.insert(up.end(), std::make_reverse_iterator(turn), down.rend());
  return up;
}

/// Walks from an accelerator to the network through the NIC nearest to it; the NICs of a switch are dealt out in turn.
Vertices walk_to_network(const Cluster& cluster, int rank) {
  const auto& graph = cluster.graph;
  const std::uint32_t vertex = cluster.rank_vertex[rank];
  Vertices walk;
  walk.reserve(2 * kUsualWalk);  // and the way back
  for (const std::uint32_t above : pcie_ancestors(graph, vertex)) {
    walk.push_back(above);
    if (above == vertex) continue;
    const Vertices nics = neighbours(graph, above, VertexKind::nic);
    if (nics.empty()) continue;
    std::size_t position = rank % cluster.accelerators_per_node;
    std::size_t sharing = cluster.accelerators_per_node;
    if (graph[above].kind == VertexKind::pcie_switch) {
      const Vertices behind = neighbours(graph, above, VertexKind::accelerator);
      position = std::find(behind.begin(), behind.end(), vertex) - behind.begin();
      sharing = behind.size();
    }
    walk.push_back(nics[position * nics.size() / sharing]);
    if (const auto network = last_neighbour(graph, walk.back(), VertexKind::network_switch)) walk.push_back(*network);
    break;
  }
  return walk;
}

Vertices network_walk(const Cluster& cluster, int from, int to) {
  Vertices walk = walk_to_network(cluster, from);
  Vertices back = walk_to_network(cluster, to);
  if (walk.back() == back.back())
    back.pop_back();
  else if (const auto spine = last_neighbour(cluster.graph, walk.back(), VertexKind::network_switch))
    walk.push_back(*spine);
  walk.insert(walk.end(), back.rbegin(), back.rend());
  return walk;
}

/// Finds the walk with the fewest links that is left, by breadth-first search; ties go to the lower vertices.
Route detour(const Cluster& cluster, int from, int to) {
  constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
  const std::uint32_t start = cluster.rank_vertex[from];
  const std::uint32_t goal = cluster.rank_vertex[to];
  Vertices before(boost::num_vertices(cluster.graph), kUnseen);
  before[goal] = goal;
  std::queue<std::uint32_t> open({goal});
  while (!open.empty() && before[start] == kUnseen) {
    const std::uint32_t at = open.front();
    open.pop();
    const LinkRange range = links_from(cluster.graph, at);
    for (LinkIndex i = range.first; i < range.last; ++i) {
      const std::uint32_t next = link_target(cluster.graph, i);
      if (before[next] != kUnseen) continue;
      before[next] = at;
      open.push(next);
    }
  }
  if (before[start] == kUnseen)
    throw Infeasible(fmt::format("no route is left from {} to {}: every way has a failed link",
                                 place_name(cluster, start), place_name(cluster, goal)));
  Vertices walk{start};
  while (walk.back() != goal) walk.push_back(before[walk.back()]);
  return *along(cluster, walk);
}

}  // namespace

Route route(const Cluster& cluster, int from, int to) {
  for (const int rank : {from, to}) {
    if (rank < 0 || rank >= cluster.ranks())
      throw InputError(
          fmt::format("rank {} does not exist: {} has ranks 0 to {}", rank, cluster.name, cluster.ranks() - 1));
  }
  if (from == to) return {};
  const std::uint32_t start = cluster.rank_vertex[from];
  const std::uint32_t goal = cluster.rank_vertex[to];
  const bool same_node = cluster.graph[start].node == cluster.graph[goal].node;
  const Vertices walk = cluster.grid ? grid_walk(cluster, from, to)
                        : same_node  ? node_walk(cluster, start, goal)
                                     : network_walk(cluster, from, to);
  if (auto found = along(cluster, walk)) return *std::move(found);
  return detour(cluster, from, to);
}

RouteFinder::Way RouteFinder::way(int rank) {
  if (ways_.empty()) ways_.resize(cluster_.ranks());
  Way& known = ways_[rank];
  if (known.walked) return known;
  known.walked = true;
  const Vertices walk = walk_to_network(cluster_, rank);
  const auto up = along(cluster_, walk), down = along(cluster_, Vertices(walk.rbegin(), walk.rend()));
  if (!up || !down) return known;
  known.first = static_cast<std::uint32_t>(links_.size());
  known.leaf = walk.back();
  known.up = static_cast<std::uint16_t>(up->links.size());
  known.down = static_cast<std::uint16_t>(down->links.size());
  for (const auto& half : {up->links, down->links}) links_.insert(links_.end(), half.begin(), half.end());
  return known;
}

Route RouteFinder::route(int from, int to) {
  const auto node = [&](int rank) { return cluster_.graph[cluster_.rank_vertex[rank]].node; };
  const auto whole = [&] { return topologies::route(cluster_, from, to); };
  if (cluster_.grid || std::min(from, to) < 0 || std::max(from, to) >= cluster_.ranks() || node(from) == node(to))
    return whole();
  const Way out = way(from), in = way(to);
  if (out.up == 0 || in.down == 0) return whole();
  const auto links = [&](std::uint32_t first, int count) {
    return std::span<const LinkIndex>(links_).subspan(first, static_cast<std::size_t>(count));
  };
  const auto rising = links(out.first, out.up), falling = links(in.first + in.up, in.down);
  Route found;
  found.links.reserve(rising.size() + falling.size() + 2);
  found.links.assign(rising.begin(), rising.end());
  if (out.leaf != in.leaf) {
    const auto spine = last_neighbour(cluster_.graph, out.leaf, VertexKind::network_switch);
    const auto rise = spine ? find_link(cluster_.graph, out.leaf, *spine) : std::nullopt;
    const auto fall = spine ? find_link(cluster_.graph, *spine, in.leaf) : std::nullopt;
    if (!rise || !fall) return whole();
    found.links.insert(found.links.end(), {*rise, *fall});
  }
  found.links.insert(found.links.end(), falling.begin(), falling.end());
  for (const LinkIndex link : found.links) found.latency += cluster_.link(link).latency;
  return found;
}

}  // namespace mlsim::topologies
