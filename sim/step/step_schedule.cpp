#include "sim/step/step_schedule.hpp"

#include <algorithm>
#include <utility>

namespace mlsim::sim {

StepSchedule::StepSchedule(const StepGraph& graph, std::vector<Seconds> duration)
    : order_(graph), duration_(std::move(duration)), open_position_(order_.size(), kFixed) {
  for (std::size_t v = 0; v < size(); ++v) {
    const auto before = predecessors(v);
    const bool waits = std::any_of(before.begin(), before.end(), [&](std::size_t u) { return is_open(u); });
    if (waits || is_exchange(v)) {
      open_position_[v] = open_.size();
      open_.push_back(v);
    }
    add_to_role(v, node(v).role);
    if (node(v).kind == NodeKind::transfer && node(v).peer != node(v).role) add_to_role(v, node(v).peer);
  }
}

void StepSchedule::add_to_role(std::size_t vertex, int role) {
  const auto place = static_cast<std::size_t>(role);
  if (place >= of_role_.size()) of_role_.resize(place + 1);
  of_role_[place].push_back(static_cast<std::uint32_t>(vertex));
}

Seconds StepSchedule::duration(std::size_t vertex, double speed) const {
  return is_compute(node(vertex)) ? duration_[vertex] / speed : duration_[vertex];
}

const std::vector<std::uint32_t>& StepSchedule::of_role(int role) const {
  static const std::vector<std::uint32_t> nothing;
  return static_cast<std::size_t>(role) < of_role_.size() ? of_role_[static_cast<std::size_t>(role)] : nothing;
}

std::vector<StepSchedule::Interval> StepSchedule::fixed_part(double speed) const {
  std::vector<Interval> intervals(size());
  for (std::size_t v = 0; v < size(); ++v) {
    if (is_open(v)) continue;
    for (const std::size_t u : predecessors(v)) intervals[v].begin = max(intervals[v].begin, intervals[u].end);
    intervals[v].end = intervals[v].begin + duration(v, speed);
  }
  return intervals;
}

}  // namespace mlsim::sim
