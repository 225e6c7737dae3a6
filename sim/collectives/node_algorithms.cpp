// These algorithms follow the nodes of a cluster: rings over the NVLinks of one, and two levels over several.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/levels.hpp"
#include "sim/collectives/rank_layout.hpp"

namespace mlsim::sim {

namespace {

// Finds rings through the members of a group in one node, by place; one in rank order where NVLink gives none.
std::vector<std::vector<int>> local_rings(const RankLayout& layout, const std::vector<int>& part) {
  NodeRings found(*layout.cluster);
  std::vector<std::vector<int>> rings = found.of(part);
  if (!rings.empty()) return rings;
  std::vector<int> in_order(part.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  return {std::move(in_order)};
}

std::vector<Lane> two_level_lanes(const ScheduleRequest& request, Family family, bool both_trees) {
  const RankLayout& layout = *request.layout;
  const auto parts = parts_along(layout, 0);
  std::vector<Level> between{{"between nodes", family, parts_along(layout, 1), request.chunks}};
  if (both_trees) between.push_back(shifted_tree(between.front()));
  const auto rings = local_rings(layout, parts.front());
  const std::uint64_t pieces = rings.size() * between.size();
  std::vector<Lane> lanes;
  for (const auto& ring : rings) {
    std::array<Level, 2> levels{Level{"inside nodes", Family::ring, {}, 1}};
    for (const auto& part : parts) levels.front().groups.push_back(at_places(part, ring));
    for (const Level& level : between) {
      const Segment data = piece({0, request.elements}, lanes.size(), pieces);
      levels.back() = level;
      lanes.push_back(level_lane(request.kind, data, request.cluster.ranks(), levels));
    }
  }
  return lanes;
}

}  // namespace

std::size_t nvlink_rings(const RankLayout& layout) {
  if (layout.cluster->interconnect != Interconnect::nvlink_mesh) return 0;
  NodeRings rings(*layout.cluster);
  std::size_t least = ~std::size_t{0};
  for (const auto& group : layout.groups) {
    if (node_parts(*layout.cluster, group).size() != 1) return 0;
    least = std::min(least, rings.of(group).size());
    if (least == 0) return 0;
  }
  return least;
}

std::vector<Lane> nvlink_ring_lanes(const ScheduleRequest& request) {
  const RankLayout& layout = *request.layout;
  NodeRings rings(request.cluster);
  const std::size_t count = nvlink_rings(layout);
  std::vector<Lane> lanes;
  for (std::size_t r = 0; r < count; ++r) {
    Level level{"over NVLink", Family::ring, {}, 1};
    for (const auto& group : layout.groups) level.groups.push_back(at_places(group, rings.of(group)[r]));
    const Segment data = piece({0, request.elements}, r, count);
    lanes.push_back(level_lane(request.kind, data, request.cluster.ranks(), {&level, 1}));
  }
  return lanes;
}

std::vector<Lane> hierarchical_lanes(const ScheduleRequest& request) {
  return two_level_lanes(request, Family::ring, false);
}

std::vector<Lane> hierarchical_tree_lanes(const ScheduleRequest& request) {
  return two_level_lanes(request, Family::tree, true);
}

// The lanes run side by side: pieces that arrive from other nodes go on inside while more come.
std::vector<Lane> by_node_lanes(const ScheduleRequest& request) {
  const RankLayout& layout = *request.layout;
  const auto lane = [](const char* name, std::vector<std::vector<int>> groups, double elements) {
    Phase phase{name, {}};
    for (auto& ranks : groups)
      phase.groups.push_back(
          {Pattern::pairwise_all_to_all, std::move(ranks), {0, static_cast<std::uint64_t>(elements)}, 1});
    return Lane{{std::move(phase)}};
  };
  auto between = parts_along(layout, 1);
  const double share = nodes_reached(static_cast<int>(between.front().size()), request.copies) / request.copies;
  const auto elements = static_cast<double>(request.elements);
  return {lane("copies between nodes", std::move(between), std::ceil(elements * share)),
          lane("copies inside nodes", parts_along(layout, 0), elements)};
}

double nodes_reached(int nodes, int copies) { return nodes * (1 - std::pow(1 - 1.0 / nodes, copies)); }

}  // namespace mlsim::sim
