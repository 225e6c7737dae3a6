// These algorithms treat all ranks of a group alike: rings, the line, trees, recursive halving, and the kinds without
// sums.
#include <fmt/format.h>

#include <algorithm>

#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/levels.hpp"

namespace mlsim::sim {

namespace {

using Groups = std::vector<std::vector<int>>;

std::string where(const RankLayout& layout) {
  return layout.whole ? "over all ranks" : fmt::format("in groups of {}", layout.group_size());
}

Level flat_level(const ScheduleRequest& request, Family family, Groups groups) {
  return {where(*request.layout), family, std::move(groups), family == Family::tree ? request.chunks : 1};
}

Segment all_of(const ScheduleRequest& request) { return {0, request.elements}; }

Lane lane_of(const ScheduleRequest& request, Segment data, const Level& level) {
  return level_lane(request.kind, data, request.cluster.ranks(), {&level, 1});
}

Lane single_phase(std::string name, Pattern pattern, Groups groups, Segment data, int chunks = 1) {
  Phase phase{std::move(name), {}};
  for (auto& ranks : groups) phase.groups.push_back({pattern, std::move(ranks), data, chunks});
  return {{std::move(phase)}};
}

// Every rank but the root must be a leaf in one of the two trees; leaves stand at odd positions, the root at 0.
Groups second_broadcast_order(Groups groups) {
  for (auto& order : groups) {
    if (order.size() % 2 == 0)
      std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    else
      std::reverse(order.begin() + 1, order.end());
  }
  return groups;
}

}  // namespace

std::vector<Lane> ring_lanes(const ScheduleRequest& request) {
  return {lane_of(request, all_of(request), flat_level(request, Family::ring, ring_orders(*request.layout)))};
}

std::vector<Lane> bidirectional_ring_lanes(const ScheduleRequest& request) {
  const Level forward = flat_level(request, Family::ring, ring_orders(*request.layout));
  return {lane_of(request, piece(all_of(request), 0, 2), forward),
          lane_of(request, piece(all_of(request), 1, 2), reversed(forward))};
}

std::vector<Lane> line_lanes(const ScheduleRequest& request) {
  return {lane_of(request, all_of(request), flat_level(request, Family::line, ring_orders(*request.layout)))};
}

std::vector<Lane> tree_lanes(const ScheduleRequest& request) {
  const Segment first = piece(all_of(request), 0, 2), second = piece(all_of(request), 1, 2);
  const Groups& groups = request.layout->groups;
  if (request.kind == CollectiveKind::broadcast) {
    const std::string phase = "broadcast " + where(*request.layout);
    return {single_phase(phase, Pattern::tree_broadcast, groups, first, request.chunks),
            single_phase(phase, Pattern::tree_broadcast, second_broadcast_order(groups), second, request.chunks)};
  }
  const Level tree = flat_level(request, Family::tree, groups);
  return {lane_of(request, first, tree), lane_of(request, second, shifted_tree(tree))};
}

std::vector<Lane> halving_lanes(const ScheduleRequest& request) {
  return {lane_of(request, all_of(request), flat_level(request, Family::halving, request.layout->groups))};
}

std::vector<Lane> chain_lanes(const ScheduleRequest& request) {
  Groups orders = ring_orders(*request.layout);
  for (std::size_t g = 0; g < orders.size(); ++g) {
    auto& order = orders[g];
    std::rotate(order.begin(), std::find(order.begin(), order.end(), request.layout->groups[g].front()), order.end());
  }
  return {single_phase("broadcast along the chain", Pattern::chain_broadcast, std::move(orders), all_of(request),
                       request.chunks)};
}

std::vector<Lane> pairwise_lanes(const ScheduleRequest& request) {
  return {single_phase("all-to-all", Pattern::pairwise_all_to_all, request.layout->groups, all_of(request))};
}

std::vector<Lane> neighbour_lanes(const ScheduleRequest& request) {
  return {single_phase("halo exchange", Pattern::neighbour_exchange, ring_orders(*request.layout), all_of(request))};
}

std::vector<Lane> message_lanes(const ScheduleRequest& request) {
  Groups pairs;
  for (const auto& group : request.layout->groups) pairs.push_back({group[0], group[1]});
  return {single_phase("message", Pattern::point_to_point, std::move(pairs), all_of(request))};
}

}  // namespace mlsim::sim
