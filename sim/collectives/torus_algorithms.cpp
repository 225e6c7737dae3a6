// Two-dimensional algorithms of a torus or mesh (Ying et al. 2018; Kumar et al. 2019, arXiv 1909.09756).
//
// Columns (along Y) come first, so that rows carry only payload / Y; a wrapped axis is a ring in each direction with
// half the payload, an open one is a line.
#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/levels.hpp"

namespace mlsim {

namespace {

Level columns(const Grid& grid) {
  Level level{"along Y", grid.wrap_y ? Family::ring : Family::line, {}, 1};
  for (int x = 0; x < grid.size_x; ++x) {
    std::vector<int>& ranks = level.groups.emplace_back();
    for (int y = 0; y < grid.size_y; ++y) ranks.push_back(y * grid.size_x + x);
  }
  return level;
}

Level rows(const Grid& grid) {
  Level level{"along X", grid.wrap_x ? Family::ring : Family::line, {}, 1};
  for (int y = 0; y < grid.size_y; ++y) {
    std::vector<int>& ranks = level.groups.emplace_back();
    for (int x = 0; x < grid.size_x; ++x) ranks.push_back(y * grid.size_x + x);
  }
  return level;
}

// One lane where no axis wraps: lines use both directions already.
void add_lanes(const ScheduleRequest& request, Segment data, const Level& first, const Level& second,
               std::vector<Lane>& lanes) {
  const int ranks = request.cluster.ranks();
  if (first.family == Family::line && second.family == Family::line) {
    lanes.push_back(level_lane(request.kind, data, ranks, {first, second}));
    return;
  }
  lanes.push_back(level_lane(request.kind, piece(data, 0, 2), ranks, {first, second}));
  lanes.push_back(level_lane(request.kind, piece(data, 1, 2), ranks, {reversed(first), reversed(second)}));
}

}  // namespace

std::vector<Lane> torus_lanes(const ScheduleRequest& request) {
  const Grid& grid = *request.cluster.grid;
  std::vector<Lane> lanes;
  add_lanes(request, {0, request.elements}, columns(grid), rows(grid), lanes);
  return lanes;
}

std::vector<Lane> torus_both_lanes(const ScheduleRequest& request) {
  const Grid& grid = *request.cluster.grid;
  const Segment all{0, request.elements};
  std::vector<Lane> lanes;
  add_lanes(request, piece(all, 0, 2), columns(grid), rows(grid), lanes);
  add_lanes(request, piece(all, 1, 2), rows(grid), columns(grid), lanes);
  return lanes;
}

std::vector<Lane> torus_one_way_lanes(const ScheduleRequest& request) {
  const Grid& grid = *request.cluster.grid;
  return {level_lane(request.kind, {0, request.elements}, request.cluster.ranks(), {columns(grid), rows(grid)})};
}

}  // namespace mlsim
