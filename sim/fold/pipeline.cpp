#include "sim/fold/placed_schedule.hpp"

#include <algorithm>

namespace mlsim::sim {
namespace {

constexpr double kPaceTolerance = 1e-9;  // a hop is slow beyond this relative difference

// Chains hold the hop times of one group and the waits in its pipeline.
struct Chains {
  std::vector<HopTime> time, wait;
  Bytes payload;

  HopTime longer(const HopTime& a, const HopTime& b) const { return a.of(payload) < b.of(payload) ? b : a; }
};

std::vector<double> stage_load(const PlacedSchedule& placement, const PlacedStage& stage) {
  std::vector<double> load(placement.capacity.size(), 0);  // payload shares a round
  for (const PlacedGroup& group : stage.groups)
    for (std::uint32_t i = 0; i < group.hops; ++i)
      for (const std::uint32_t link : placement.links_of(group.first_hop + i))
        load[link] += group.share * group.shape[i].share / group.shape[i].rounds;
  return load;
}

std::vector<HopTime> hop_times(const PlacedSchedule& placement, const PlacedGroup& group,
                               const std::vector<double>& load) {
  std::vector<HopTime> times(group.hops);
  for (std::uint32_t i = 0; i < group.hops; ++i) {
    times[i].alpha = placement.latency[group.first_hop + i];
    for (const std::uint32_t link : placement.links_of(group.first_hop + i))
      times[i].beta = max(times[i].beta, load[link] / placement.capacity[link]);
  }
  return times;
}

// A line's hops in one direction follow one another by position; reduce-scatter waits for those before, all-gather for
// those after.
void add_line_waits(const PlacedGroup& group, bool upwards, Chains& chains) {
  std::vector<std::uint32_t> way;
  for (std::uint32_t i = 0; i < group.hops; ++i)
    if ((group.shape[i].to > group.shape[i].from) == upwards) way.push_back(i);
  std::sort(way.begin(), way.end(),
            [&](std::uint32_t a, std::uint32_t b) { return (group.shape[a].from < group.shape[b].from) == upwards; });
  if (group.pipeline == Pipeline::line_gather) std::reverse(way.begin(), way.end());
  HopTime sum;
  for (const std::uint32_t hop : way) {
    chains.wait[hop] = sum;
    sum += chains.time[hop];
  }
}

// The tree is rooted at position 0 and made from the hops between its positions.
struct Tree {
  static constexpr std::uint32_t kNone = ~0u;
  std::vector<std::uint32_t> order;     // parents before children
  std::vector<std::uint32_t> parent;    // by position
  std::vector<std::uint32_t> up, down;  // hop to and from the parent, or kNone

  explicit Tree(const PlacedGroup& group) {
    const std::uint32_t n = group.members;
    std::vector<std::vector<std::uint32_t>> hops_from(n), hops_to(n);
    for (std::uint32_t i = 0; i < group.hops; ++i) {
      hops_from[group.shape[i].from].push_back(i);
      hops_to[group.shape[i].to].push_back(i);
    }
    parent.assign(n, kNone);
    up.assign(n, kNone);
    down.assign(n, kNone);
    order.push_back(0);
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::uint32_t p = order[k];
      for (const std::uint32_t i : hops_from[p])
        if (group.shape[i].to != parent[p]) {
          parent[group.shape[i].to] = p;
          down[group.shape[i].to] = i;
          order.push_back(group.shape[i].to);
        }
      for (const std::uint32_t i : hops_to[p])
        if (group.shape[i].from != parent[p]) up[group.shape[i].from] = i;
    }
  }
};

void add_tree_waits(const PlacedGroup& group, Chains& chains) {
  const Tree tree(group);
  const auto time = [&](std::uint32_t hop) { return hop == Tree::kNone ? HopTime{} : chains.time[hop]; };
  // into[p] and out_of[p] are the longest chains of reductions into a position and of broadcasts out of it.
  std::vector<HopTime> into(group.members), out_of(group.members), above_up(group.members), above_down(group.members);
  for (auto p = tree.order.rbegin(); p + 1 != tree.order.rend(); ++p) {
    const std::uint32_t parent = tree.parent[*p];
    HopTime in = into[*p], out = out_of[*p];
    into[parent] = chains.longer(into[parent], in += time(tree.up[*p]));
    out_of[parent] = chains.longer(out_of[parent], out += time(tree.down[*p]));
  }
  for (std::size_t k = 1; k < tree.order.size(); ++k) {
    const std::uint32_t p = tree.order[k], parent = tree.parent[p];
    above_up[p] = above_up[parent];
    above_down[p] = above_down[parent];
    if (tree.up[p] != Tree::kNone) {
      HopTime wait = into[p];
      wait += above_up[p];
      wait += out_of[0];
      chains.wait[tree.up[p]] = wait;
    }
    HopTime wait = into[0];
    wait += above_down[p];
    wait += out_of[p];
    chains.wait[tree.down[p]] = wait;
    above_up[p] += time(tree.up[p]);
    above_down[p] += time(tree.down[p]);
  }
}

void add_waits(PlacedStage& stage, PlacedGroup& group, const std::vector<HopTime>& times, Bytes payload) {
  HopTime pace = times.front();
  for (const HopTime& time : times) pace = {min(pace.alpha, time.alpha), min(pace.beta, time.beta)};
  const auto slow = [&](const HopTime& time) {
    return time.alpha > pace.alpha * (1 + kPaceTolerance) || time.beta > pace.beta * (1 + kPaceTolerance);
  };
  if (std::none_of(times.begin(), times.end(), slow)) return;
  Chains chains{times, std::vector<HopTime>(group.hops), payload};
  if (group.pipeline == Pipeline::tree) {
    add_tree_waits(group, chains);
  } else {
    add_line_waits(group, true, chains);
    add_line_waits(group, false, chains);
  }
  group.waits = static_cast<std::uint32_t>(stage.waits.size());
  for (std::uint32_t i = 0; i < group.hops; ++i) stage.waits.push_back({slow(times[i]), chains.wait[i]});
}

}  // namespace

void add_waits(const PlacedSchedule& placement, PlacedStage& stage, Bytes payload) {
  const auto pipelined = [](const PlacedGroup& group) { return group.pipeline != Pipeline::none && group.hops > 0; };
  if (std::none_of(stage.groups.begin(), stage.groups.end(), pipelined)) return;
  const std::vector<double> load = stage_load(placement, stage);
  const PlacedGroup* before = nullptr;  // in the same shape with the same times hops wait for the same
  std::vector<HopTime> times_before;
  for (PlacedGroup& group : stage.groups) {
    if (!pipelined(group)) continue;
    std::vector<HopTime> times = hop_times(placement, group, load);
    if (before != nullptr && before->shape == group.shape && times_before == times) {
      group.waits = before->waits;
    } else {
      add_waits(stage, group, times, payload);
      times_before = std::move(times);
    }
    before = &group;
  }
}

}  // namespace mlsim::sim
