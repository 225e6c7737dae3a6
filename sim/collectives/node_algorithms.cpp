// Algorithms that follow the nodes of a cluster: rings over the NVLinks of one, and two levels over several.
#include <algorithm>
#include <map>

#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/levels.hpp"
#include "sim/collectives/nvlink_cycles.hpp"

namespace mlsim {

namespace {

// Rings through the ranks of one node, by place in the node; one in rank order where NVLink gives none.
std::vector<std::vector<int>> local_rings(const Cluster& cluster, const std::vector<int>& node) {
  std::vector<std::vector<int>> rings;
  if (cluster.interconnect == Interconnect::nvlink_mesh) rings = nvlink_cycles(cluster, node);
  if (rings.empty()) rings.push_back(node);
  for (auto& ring : rings)
    for (int& rank : ring) rank = static_cast<int>(std::find(node.begin(), node.end(), rank) - node.begin());
  return rings;
}

Level inside_nodes(const std::vector<std::vector<int>>& nodes, const std::vector<int>& ring) {
  Level level{"inside nodes", Family::ring, {}, 1};
  for (const auto& node : nodes) {
    std::vector<int>& ranks = level.groups.emplace_back();
    for (const int place : ring) ranks.push_back(node[static_cast<std::size_t>(place)]);
  }
  return level;
}

Level between_nodes(const std::vector<std::vector<int>>& nodes, Family family, int chunks) {
  Level level{"between nodes", family, {}, chunks};
  for (std::size_t place = 0; place < nodes.front().size(); ++place) {
    std::vector<int>& ranks = level.groups.emplace_back();
    for (const auto& node : nodes) ranks.push_back(node[place]);
  }
  return level;
}

std::vector<Lane> two_level_lanes(const ScheduleRequest& request, const std::vector<Level>& between) {
  const auto nodes = ranks_by_node(request.cluster);
  const auto rings = local_rings(request.cluster, nodes.front());
  const std::uint64_t parts = rings.size() * between.size();
  std::vector<Lane> lanes;
  for (const auto& ring : rings) {
    const Level inside = inside_nodes(nodes, ring);
    for (const Level& level : between) {
      const Segment data = piece({0, request.elements}, lanes.size(), parts);
      lanes.push_back(level_lane(request.kind, data, request.cluster.ranks(), {inside, level}));
    }
  }
  return lanes;
}

}  // namespace

std::vector<std::vector<int>> ranks_by_node(const Cluster& cluster) {
  std::map<int, std::vector<int>> nodes;
  for (int rank = 0; rank < cluster.ranks(); ++rank)
    nodes[cluster.graph[cluster.rank_vertex[static_cast<std::size_t>(rank)]].node].push_back(rank);
  std::vector<std::vector<int>> result;
  for (auto& [node, ranks] : nodes) result.push_back(std::move(ranks));
  return result;
}

std::vector<Lane> nvlink_ring_lanes(const ScheduleRequest& request) {
  const auto rings = nvlink_cycles(request.cluster, ranks_by_node(request.cluster).front());
  std::vector<Lane> lanes;
  for (const auto& ring : rings) {
    const Segment data = piece({0, request.elements}, lanes.size(), rings.size());
    lanes.push_back(
        level_lane(request.kind, data, request.cluster.ranks(), {{"over NVLink", Family::ring, {ring}, 1}}));
  }
  return lanes;
}

std::vector<Lane> hierarchical_lanes(const ScheduleRequest& request) {
  return two_level_lanes(request, {between_nodes(ranks_by_node(request.cluster), Family::ring, 1)});
}

std::vector<Lane> hierarchical_tree_lanes(const ScheduleRequest& request) {
  const Level tree = between_nodes(ranks_by_node(request.cluster), Family::tree, request.chunks);
  return two_level_lanes(request, {tree, shifted_tree(tree)});
}

}  // namespace mlsim
