#include "topologies/cluster/link_lookup.hpp"

#include <algorithm>

namespace mlsim::topologies {
namespace {

using Edge = boost::graph_traits<ClusterGraph>::edge_descriptor;

// The bundle and the target of an edge depend on its index alone, so any source will do.
Edge edge_at(LinkIndex index) { return Edge(0, index); }

}  // namespace

Link& link_at(ClusterGraph& graph, LinkIndex link) { return graph[edge_at(link)]; }

std::uint32_t link_target(const ClusterGraph& graph, LinkIndex link) {
  return static_cast<std::uint32_t>(boost::target(edge_at(link), graph));
}

std::uint32_t link_source(const ClusterGraph& graph, LinkIndex link) {
  const std::size_t index = link;
  return static_cast<std::uint32_t>(boost::source(boost::edge_from_index(index, graph), graph));
}

LinkRange links_from(const ClusterGraph& graph, std::uint32_t vertex) {
  const std::size_t source = vertex;
  const auto degree = boost::out_degree(source, graph);
  if (degree == 0) return {};
  const auto first = boost::get(boost::edge_index, graph, *boost::out_edges(source, graph).first);
  return {static_cast<LinkIndex>(first), static_cast<LinkIndex>(first + degree)};
}

BytesPerSecond line_rate(const Cluster& cluster, LinkKind kind) {
  for (LinkIndex i = 0; i < cluster.links(); ++i)
    if (cluster.link(i).kind == kind) return cluster.link(i).bandwidth;
  return {};
}

std::optional<LinkIndex> find_link(const ClusterGraph& graph, std::uint32_t from, std::uint32_t to) {
  const LinkRange range = links_from(graph, from);
  LinkIndex low = range.first, high = range.last;
  while (low < high) {
    const LinkIndex middle = low + (high - low) / 2;
    if (link_target(graph, middle) < to)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == range.last || link_target(graph, low) != to) return std::nullopt;
  return low;
}

std::vector<std::uint32_t> neighbours(const ClusterGraph& graph, std::uint32_t vertex, VertexKind kind) {
  std::vector<std::uint32_t> found;
  const LinkRange range = links_from(graph, vertex);
  found.reserve(std::min<std::size_t>(range.last - range.first, 16));
  for (LinkIndex i = range.first; i < range.last; ++i) {
    const std::uint32_t other = link_target(graph, i);
    if (graph[other].kind == kind) found.push_back(other);
  }
  return found;
}

std::optional<std::uint32_t> last_neighbour(const ClusterGraph& graph, std::uint32_t vertex, VertexKind kind) {
  const LinkRange range = links_from(graph, vertex);
  for (LinkIndex i = range.last; i > range.first; --i) {
    const std::uint32_t other = link_target(graph, i - 1);
    if (graph[other].kind == kind) return other;
  }
  return std::nullopt;
}

}  // namespace mlsim::topologies
