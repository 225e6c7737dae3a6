// Algorithms that treat all ranks alike: rings, the line, trees, recursive halving, and the kinds without sums.
#include <algorithm>
#include <numeric>

#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/levels.hpp"
#include "sim/collectives/nvlink_cycles.hpp"

namespace mlsim {

namespace {

const char* const flat_name = "over all ranks";

Level flat_level(Family family, std::vector<int> order, int chunks = 1) {
  return {flat_name, family, {std::move(order)}, chunks};
}

std::vector<int> natural_order(const Cluster& cluster) {
  std::vector<int> order(static_cast<std::size_t>(cluster.ranks()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Segment all_of(const ScheduleRequest& request) { return {0, request.elements}; }

Lane lane_of(const ScheduleRequest& request, Segment data, const Level& level) {
  return level_lane(request.kind, data, request.cluster.ranks(), {level});
}

Lane single_group(const char* phase, Pattern pattern, std::vector<int> ranks, Segment data, int chunks = 1) {
  return {{{phase, {{pattern, std::move(ranks), data, chunks}}}}};
}

// A closed walk over a grid: up and down the columns 1 .. X-1 row by row, and back along column 0. With an odd number
// of rows it does not close; the last hop is then longer.
std::vector<int> grid_order(int size_x, int size_y, bool transposed) {
  const auto rank = [&](int x, int y) { return transposed ? x * size_y + y : y * size_x + x; };
  std::vector<int> order;
  const bool closes = size_y % 2 == 0 && size_x > 1;
  const int first = closes ? 1 : 0;
  for (int y = 0; y < size_y; ++y) {
    for (int i = first; i < size_x; ++i) order.push_back(rank(y % 2 == 0 ? i : size_x - 1 - (i - first), y));
  }
  if (closes) {
    for (int y = size_y - 1; y >= 0; --y) order.push_back(rank(0, y));
  }
  return order;
}

std::vector<int> node_order(const Cluster& cluster) {
  std::vector<int> order;
  for (const auto& node : ranks_by_node(cluster)) {
    std::vector<std::vector<int>> cycles;
    if (cluster.interconnect == Interconnect::nvlink_mesh) cycles = nvlink_cycles(cluster, node);
    const auto& members = cycles.empty() ? node : cycles.front();
    order.insert(order.end(), members.begin(), members.end());
  }
  return order;
}

// Every rank but the root must be a leaf in one of the two trees; leaves stand at odd positions, the root at 0.
std::vector<int> second_broadcast_order(std::vector<int> order) {
  if (order.size() % 2 == 0)
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  else
    std::reverse(order.begin() + 1, order.end());
  return order;
}

}  // namespace

std::vector<int> ring_order(const Cluster& cluster) {
  if (!cluster.grid) return node_order(cluster);
  const Grid& grid = *cluster.grid;
  const bool transposed = grid.size_y % 2 == 1 && grid.size_y > 1 && grid.size_x % 2 == 0;
  return transposed ? grid_order(grid.size_y, grid.size_x, true) : grid_order(grid.size_x, grid.size_y, false);
}

std::vector<Lane> ring_lanes(const ScheduleRequest& request) {
  return {lane_of(request, all_of(request), flat_level(Family::ring, ring_order(request.cluster)))};
}

std::vector<Lane> bidirectional_ring_lanes(const ScheduleRequest& request) {
  const Level forward = flat_level(Family::ring, ring_order(request.cluster));
  return {lane_of(request, piece(all_of(request), 0, 2), forward),
          lane_of(request, piece(all_of(request), 1, 2), reversed(forward))};
}

std::vector<Lane> line_lanes(const ScheduleRequest& request) {
  return {lane_of(request, all_of(request), flat_level(Family::line, ring_order(request.cluster)))};
}

std::vector<Lane> tree_lanes(const ScheduleRequest& request) {
  const Segment first = piece(all_of(request), 0, 2), second = piece(all_of(request), 1, 2);
  const auto order = natural_order(request.cluster);
  if (request.kind == CollectiveKind::broadcast) {
    const char* const phase = "broadcast over all ranks";
    return {single_group(phase, Pattern::tree_broadcast, order, first, request.chunks),
            single_group(phase, Pattern::tree_broadcast, second_broadcast_order(order), second, request.chunks)};
  }
  const Level tree = flat_level(Family::tree, order, request.chunks);
  return {lane_of(request, first, tree), lane_of(request, second, shifted_tree(tree))};
}

std::vector<Lane> halving_lanes(const ScheduleRequest& request) {
  return {lane_of(request, all_of(request), flat_level(Family::halving, natural_order(request.cluster)))};
}

std::vector<Lane> chain_lanes(const ScheduleRequest& request) {
  std::vector<int> order = ring_order(request.cluster);
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0), order.end());
  return {single_group("broadcast along the chain", Pattern::chain_broadcast, std::move(order), all_of(request),
                       request.chunks)};
}

std::vector<Lane> pairwise_lanes(const ScheduleRequest& request) {
  return {single_group("all-to-all", Pattern::pairwise_all_to_all, natural_order(request.cluster), all_of(request))};
}

std::vector<Lane> neighbour_lanes(const ScheduleRequest& request) {
  return {single_group("halo exchange", Pattern::neighbour_exchange, ring_order(request.cluster), all_of(request))};
}

std::vector<Lane> message_lanes(const ScheduleRequest& request) {
  return {single_group("message", Pattern::point_to_point, {0, 1}, all_of(request))};
}

}  // namespace mlsim
