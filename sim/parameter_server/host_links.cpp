#include "sim/parameter_server/host_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>

#include "core/text/errors.hpp"
#include "topologies/cluster/link_lookup.hpp"
#include "topologies/cluster/route.hpp"

namespace mlsim::sim {
namespace {

// Finds a shortest route from `start` to a vertex that `ends`, through the node's PCIe switches and NICs only.
class NodeSearch {
 public:
  NodeSearch(const Cluster& cluster, std::uint32_t start) : cluster_(cluster), start_(start) {}

  template <class Ends>
  std::optional<HostLinks::RouteLinks> route_to(Ends ends) const {
    std::map<std::uint32_t, LinkIndex> reached_by;
    std::deque<std::uint32_t> open{start_};
    while (!open.empty()) {
      const std::uint32_t vertex = open.front();
      open.pop_front();
      const LinkRange links = links_from(cluster_.graph, vertex);
      for (LinkIndex link = links.first; link < links.last; ++link) {
        const std::uint32_t next = link_target(cluster_.graph, link);
        if (next == start_ || reached_by.contains(next)) continue;
        reached_by[next] = link;
        if (ends(next)) return back(reached_by, next);
        const VertexKind kind = cluster_.graph[next].kind;
        if (kind == VertexKind::pcie_switch || kind == VertexKind::nic) open.push_back(next);
      }
    }
    return std::nullopt;
  }

 private:
  HostLinks::RouteLinks back(const std::map<std::uint32_t, LinkIndex>& reached_by, std::uint32_t end) const {
    HostLinks::RouteLinks links;
    for (std::uint32_t vertex = end; vertex != start_; vertex = link_source(cluster_.graph, links.back()))
      links.push_back(reached_by.at(vertex));
    std::reverse(links.begin(), links.end());
    return links;
  }

  const Cluster& cluster_;
  std::uint32_t start_;
};

// Returns the same links in the other direction.
HostLinks::RouteLinks reversed(const Cluster& cluster, const HostLinks::RouteLinks& links) {
  HostLinks::RouteLinks other;
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    const auto back = find_link(cluster.graph, link_target(cluster.graph, *link), link_source(cluster.graph, *link));
    if (!back) throw Infeasible("a failed link leaves one direction between a host and what it serves; give it whole");
    other.push_back(*back);
  }
  return other;
}

std::vector<std::uint32_t> hosts_by_node(const Cluster& cluster) {
  std::vector<std::uint32_t> hosts(cluster.nodes, ~0u);
  std::size_t found = 0;
  for (auto [v, end] = boost::vertices(cluster.graph); v != end; ++v) {
    const Vertex& vertex = cluster.graph[*v];
    if (vertex.kind != VertexKind::host) continue;
    hosts.at(vertex.node) = static_cast<std::uint32_t>(*v);
    ++found;
  }
  if (found != hosts.size())
    throw Infeasible(
        fmt::format("parameter servers run on hosts, and {} shows none between its accelerators; "
                    "variable_update=replicated works there",
                    cluster.name));
  return hosts;
}

class Builder {
 public:
  explicit Builder(const Cluster& cluster) : cluster_(cluster), hosts_(hosts_by_node(cluster)) {}

  HostLinks build() {
    result_.nodes.resize(hosts_.size());
    for (int rank = 0; rank < cluster_.ranks(); ++rank) add_rank(rank);
    for (std::size_t node = 0; node < hosts_.size() && hosts_.size() > 1; ++node) add_network(node);
    if (result_.leaves.size() > 1) add_uplinks();
    return std::move(result_);
  }

 private:
  void add_rank(int rank) {
    const std::uint32_t vertex = cluster_.rank_vertex[rank];
    const auto number = static_cast<std::size_t>(cluster_.graph[vertex].node);
    const auto up = NodeSearch(cluster_, vertex).route_to([&](std::uint32_t v) { return v == hosts_[number]; });
    if (!up) throw Infeasible(fmt::format("no route is left between accelerator {} and its host", rank));
    HostLinks::Node& node = result_.nodes[number];
    node.ranks.push_back(rank);
    node.to_host.push_back(*up);
    node.from_host.push_back(reversed(cluster_, *up));
  }

  void add_network(std::size_t number) {
    const auto is_switch = [&](std::uint32_t v) { return cluster_.graph[v].kind == VertexKind::network_switch; };
    const auto out = NodeSearch(cluster_, hosts_[number]).route_to(is_switch);
    if (!out) throw Infeasible(fmt::format("no route is left between host {} and the network", number));
    HostLinks::Node& node = result_.nodes[number];
    node.out = *out;
    node.in = reversed(cluster_, *out);
    const std::uint32_t leaf = link_target(cluster_.graph, out->back());
    const auto [place, fresh] = leaf_number_.try_emplace(leaf, static_cast<int>(result_.leaves.size()));
    if (fresh) result_.leaves.emplace_back();
    node.leaf = place->second;
  }

  void add_uplinks() {
    for (const auto& [vertex, number] : leaf_number_) {
      const auto top = last_neighbour(cluster_.graph, vertex, VertexKind::network_switch);
      const auto up = top ? find_link(cluster_.graph, vertex, *top) : std::nullopt;
      if (!up) throw Infeasible(fmt::format("no route is left between leaf switch {} and the others", number));
      HostLinks::Leaf& leaf = result_.leaves[number];
      leaf.up = {*up};
      leaf.down = reversed(cluster_, leaf.up);
    }
  }

  const Cluster& cluster_;
  std::vector<std::uint32_t> hosts_;
  std::map<std::uint32_t, int> leaf_number_;
  HostLinks result_;
};

}  // namespace

HostLinks host_links(const Cluster& cluster) { return Builder(cluster).build(); }

HostLinks turned_round(HostLinks links) {
  for (HostLinks::Node& node : links.nodes) {
    std::swap(node.to_host, node.from_host);
    std::swap(node.out, node.in);
  }
  for (HostLinks::Leaf& leaf : links.leaves) std::swap(leaf.up, leaf.down);
  return links;
}

BytesPerSecond RouteCost::rate(const HostLinks::RouteLinks& route, BytesPerSecond most) const {
  for (const LinkIndex link : route) most = min(most, rate(link));
  return most;
}

Seconds RouteCost::latency(const HostLinks::RouteLinks& route) const {
  Seconds links, software;
  for (const LinkIndex link : route) {
    links += cluster_.link(link).latency;
    software = max(software, efficiency_[cluster_.link(link).kind].message);
  }
  return links + software;
}

HostLinks::RouteLinks peer_route(const Cluster& cluster, const HostLinks::Node& node, std::size_t from,
                                 std::size_t to) {
  HostLinks::RouteLinks links = route(cluster, node.ranks[from], node.ranks[to]).links;
  if (cluster.interconnect != Interconnect::nvlink_mesh || links.size() == 1) return links;
  links = node.to_host[from];
  links.insert(links.end(), node.from_host[to].begin(), node.from_host[to].end());
  return links;
}

}  // namespace mlsim::sim
