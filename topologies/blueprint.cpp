#include "topologies/blueprint.hpp"

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

Blueprint sorted(const Blueprint& blueprint) {
  std::vector<std::uint32_t> order(blueprint.ends.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return blueprint.ends[a] < blueprint.ends[b]; });
  Blueprint result;
  result.vertices = blueprint.vertices;
  result.ends.reserve(order.size());
  result.links.reserve(order.size());
  for (const std::uint32_t i : order) {
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
