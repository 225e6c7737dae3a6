#include "topologies/cluster/blueprint.hpp"

#include <algorithm>
#include <numeric>

namespace mlsim::topologies {

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
