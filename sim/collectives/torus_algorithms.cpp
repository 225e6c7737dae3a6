// Two-dimensional algorithms of a torus or mesh (Ying et al. 2018; Kumar et al. 2019, arXiv 1909.09756).
//
// Columns (along Y) come first, so that rows carry only payload / Y; a wrapped axis is a ring in each direction with
// half the payload, an open one is a line.
#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/levels.hpp"

namespace mlsim::sim {

namespace {

Level columns(const RankLayout& layout) {
  return {"along Y", layout.ring_outer ? Family::ring : Family::line, outer_parts(layout), 1};
}

Level rows(const RankLayout& layout) {
  return {"along X", layout.ring_inner ? Family::ring : Family::line, inner_parts(layout), 1};
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
  std::vector<Lane> lanes;
  add_lanes(request, {0, request.elements}, columns(*request.layout), rows(*request.layout), lanes);
  return lanes;
}

std::vector<Lane> torus_both_lanes(const ScheduleRequest& request) {
  const RankLayout& layout = *request.layout;
  const Segment all{0, request.elements};
  std::vector<Lane> lanes;
  add_lanes(request, piece(all, 0, 2), columns(layout), rows(layout), lanes);
  add_lanes(request, piece(all, 1, 2), rows(layout), columns(layout), lanes);
  return lanes;
}

std::vector<Lane> torus_one_way_lanes(const ScheduleRequest& request) {
  const RankLayout& layout = *request.layout;
  return {level_lane(request.kind, {0, request.elements}, request.cluster.ranks(), {columns(layout), rows(layout)})};
}

}  // namespace mlsim::sim
