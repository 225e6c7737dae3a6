// Algorithms of a torus or mesh take a dimension at a time (Ying et al. 2018; Kumar et al. 2019, arXiv 1909.09756).
//
// The last dimension comes first (columns, along Y), so that rows carry only payload / Y; a wrapped dimension is a ring
// in each direction with half the payload, an open one is a line. "torus-2d-both" and "torus-3d" run as many orders of
// the dimensions at once as there are dimensions, each beginning with another one, so that all links are busy: XLA's
// collectives over several axes have the bandwidth of all of them (Austin et al., How to Scale Your Model, 2025, part
// 3, recalled).
#include <fmt/format.h>

#include <algorithm>

#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/levels.hpp"

namespace mlsim::sim {

namespace {

// Levels go from the last dimension to X, and the network between slices comes after them, with the least to carry.
std::vector<Level> levels_of(const RankLayout& layout) {
  std::vector<Level> levels;
  for (std::size_t d = layout.shape.size(); d-- > 0;) {
    const auto [size, wraps] = layout.shape[d];
    if (size > 1)
      levels.push_back({"along " + dimension_name(*layout.cluster, d), wraps ? Family::ring : Family::line,
                        parts_along(layout, d), 1});
  }
  if (spans_slices(layout)) std::rotate(levels.begin(), levels.begin() + 1, levels.end());
  return levels;
}

// Adds one lane where no dimension wraps: lines use both directions already.
void add_lanes(const ScheduleRequest& request, Segment data, std::vector<Level> levels, std::vector<Lane>& lanes) {
  const int ranks = request.cluster.ranks();
  if (std::ranges::all_of(levels, [](const Level& level) { return level.family == Family::line; })) {
    lanes.push_back(level_lane(request.kind, data, ranks, levels));
    return;
  }
  lanes.push_back(level_lane(request.kind, piece(data, 0, 2), ranks, levels));
  for (Level& level : levels) level = reversed(level);
  lanes.push_back(level_lane(request.kind, piece(data, 1, 2), ranks, levels));
}

}  // namespace

std::vector<Lane> torus_lanes(const ScheduleRequest& request) {
  std::vector<Lane> lanes;
  add_lanes(request, {0, request.elements}, levels_of(*request.layout), lanes);
  return lanes;
}

std::vector<Lane> torus_both_lanes(const ScheduleRequest& request) {
  const Segment all{0, request.elements};
  std::vector<Level> levels = levels_of(*request.layout);
  std::vector<Lane> lanes;
  // Every order ends between slices.
  const std::size_t orders = levels.size() - (spans_slices(*request.layout) ? 1 : 0);
  for (std::size_t order = 0; order < orders; ++order) {
    add_lanes(request, piece(all, order, orders), levels, lanes);
    std::rotate(levels.begin(), levels.begin() + 1, levels.begin() + orders);
  }
  return lanes;
}

std::vector<Lane> torus_one_way_lanes(const ScheduleRequest& request) {
  return {level_lane(request.kind, {0, request.elements}, request.cluster.ranks(), levels_of(*request.layout))};
}

}  // namespace mlsim::sim
