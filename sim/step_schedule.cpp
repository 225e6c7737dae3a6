#include "sim/step_schedule.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mlsim {

StepSchedule::StepSchedule(const StepGraph& graph, std::vector<Seconds> duration)
    : graph_(&graph), duration_(std::move(duration)) {
  const std::size_t n = boost::num_vertices(graph);
  predecessors_.resize(n);
  successors_.resize(n);
  open_position_.assign(n, kFixed);
  std::array<std::size_t, 3> last_on_stream;
  last_on_stream.fill(kFixed);
  for (std::size_t v = 0; v < n; ++v) {
    auto& before = predecessors_[v];
    for (auto [edge, end] = boost::in_edges(v, graph); edge != end; ++edge)
      before.push_back(boost::source(*edge, graph));
    auto& last = last_on_stream[static_cast<std::size_t>(graph[v].stream)];
    if (last != kFixed && std::find(before.begin(), before.end(), last) == before.end()) before.push_back(last);
    last = v;
    for (const std::size_t u : before) successors_[u].push_back(v);
    const bool waits = std::any_of(before.begin(), before.end(), [&](std::size_t u) { return is_open(u); });
    if (waits || graph[v].kind == NodeKind::collective) {
      open_position_[v] = open_.size();
      open_.push_back(v);
    }
  }
}

Seconds StepSchedule::duration(std::size_t vertex, double speed) const {
  return node(vertex).kind == NodeKind::kernel ? duration_[vertex] / speed : duration_[vertex];
}

std::vector<StepSchedule::Interval> StepSchedule::fixed_part(double speed) const {
  std::vector<Interval> intervals(size());
  for (std::size_t v = 0; v < size(); ++v) {
    if (is_open(v)) continue;
    for (const std::size_t u : predecessors_[v]) intervals[v].begin = max(intervals[v].begin, intervals[u].end);
    intervals[v].end = intervals[v].begin + duration(v, speed);
  }
  return intervals;
}

}  // namespace mlsim
