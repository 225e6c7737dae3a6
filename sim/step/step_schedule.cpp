#include "sim/step/step_schedule.hpp"

#include <algorithm>
#include <utility>

namespace mlsim::sim {

StepSchedule::StepSchedule(const StepGraph& graph, std::vector<Seconds> duration)
    : order_(graph), duration_(std::move(duration)), open_position_(order_.size(), kFixed) {
  for (std::size_t v = 0; v < size(); ++v) {
    const auto& before = predecessors(v);
    const bool waits = std::any_of(before.begin(), before.end(), [&](std::size_t u) { return is_open(u); });
    if (waits || is_exchange(v)) {
      open_position_[v] = open_.size();
      open_.push_back(v);
    }
  }
}

Seconds StepSchedule::duration(std::size_t vertex, double speed) const {
  return is_compute(node(vertex)) ? duration_[vertex] / speed : duration_[vertex];
}

std::vector<StepSchedule::Interval> StepSchedule::fixed_part(double speed, int role) const {
  std::vector<Interval> intervals(size());
  for (std::size_t v = 0; v < size(); ++v) {
    if (is_open(v) || node(v).role != role) continue;
    for (const std::size_t u : predecessors(v)) intervals[v].begin = max(intervals[v].begin, intervals[u].end);
    intervals[v].end = intervals[v].begin + duration(v, speed);
  }
  return intervals;
}

}  // namespace mlsim::sim
