#include "topologies/cluster/cluster_graph.hpp"

#include <algorithm>
#include <numeric>

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

BytesPerSecond host_link_rate(const Cluster& cluster) {
  if (cluster.accelerator.host_link.value.value > 0) return cluster.accelerator.host_link.value;
  const ClusterGraph& graph = cluster.graph;
  const std::uint32_t first = cluster.rank_vertex.front();
  const auto rate_to = [&](std::uint32_t from, VertexKind kind) {
    const auto above = last_neighbour(graph, from, kind);
    const auto link = above ? find_link(graph, from, *above) : std::nullopt;
    return link ? cluster.link(*link).bandwidth : BytesPerSecond(0);
  };
  const auto at_switch = last_neighbour(graph, first, VertexKind::pcie_switch);
  if (!at_switch) return rate_to(first, VertexKind::host);
  const auto sharing = static_cast<double>(neighbours(graph, *at_switch, VertexKind::accelerator).size());
  return min(rate_to(first, VertexKind::pcie_switch), rate_to(*at_switch, VertexKind::host) / sharing);
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

std::uint32_t Blueprint::add(VertexKind kind, int node) {
  auto& count = count_[static_cast<std::size_t>(kind)];
  vertices.push_back({kind, node, count++});
  return static_cast<std::uint32_t>(vertices.size() - 1);
}

void Blueprint::connect(std::uint32_t a, std::uint32_t b, const Link& link) {
  for (const auto& end : {std::pair(a, b), std::pair(b, a)}) {
    ends.push_back(end);
    links.push_back(link);
  }
}

namespace {

// Orders links by source, and those of each source by target: sources are counted, then each one's few links sorted.
std::vector<std::uint32_t> link_order(const Blueprint& blueprint) {
  std::vector<std::uint32_t> next(blueprint.vertices.size() + 1, 0);
  for (const auto& [from, to] : blueprint.ends) ++next[from + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  const std::vector<std::uint32_t> first = next;
  std::vector<std::uint32_t> order(blueprint.ends.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[next[blueprint.ends[i].first]++] = i;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return blueprint.ends[a].second < blueprint.ends[b].second;
  };
  for (std::size_t v = 0; v + 1 < first.size(); ++v) {
    const auto begin = order.begin() + first[v], end = order.begin() + first[v + 1];
    if (!std::is_sorted(begin, end, before)) std::stable_sort(begin, end, before);
  }
  return order;
}

Blueprint sorted(const Blueprint& blueprint) {
  Blueprint result;
  result.vertices = blueprint.vertices;
  result.ends.reserve(blueprint.ends.size());
  result.links.reserve(blueprint.ends.size());
  for (const std::uint32_t i : link_order(blueprint)) {
    result.ends.push_back(blueprint.ends[i]);
    result.links.push_back(blueprint.links[i]);
  }
  return result;
}

}  // namespace

ClusterGraph graph_of(const Blueprint& blueprint) {
  if (!std::is_sorted(blueprint.ends.begin(), blueprint.ends.end())) return graph_of(sorted(blueprint));
  ClusterGraph graph(boost::edges_are_sorted, blueprint.ends.begin(), blueprint.ends.end(), blueprint.links.begin(),
                     blueprint.vertices.size(), blueprint.ends.size());
  for (std::size_t v = 0; v < blueprint.vertices.size(); ++v) graph[v] = blueprint.vertices[v];
  return graph;
}

Blueprint blueprint_of(const ClusterGraph& graph) {
  Blueprint result;
  for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) result.vertices.push_back(graph[v]);
  const auto [begin, end] = boost::edges(graph);
  for (auto edge = begin; edge != end; ++edge) {
    result.ends.emplace_back(static_cast<std::uint32_t>(boost::source(*edge, graph)),
                             static_cast<std::uint32_t>(boost::target(*edge, graph)));
    result.links.push_back(graph[*edge]);
  }
  return result;
}

}  // namespace mlsim::topologies
