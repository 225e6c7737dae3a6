#include "sim/step/step_schedule.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mlsim::sim {

StepSchedule::StepSchedule(const StepGraph& graph, std::vector<Seconds> duration)
    : graph_(&graph), duration_(std::move(duration)) {
  const std::size_t n = boost::num_vertices(graph);
  predecessors_.resize(n);
  successors_.resize(n);
  open_position_.assign(n, kFixed);
  std::map<std::pair<int, Stream>, std::size_t> last_on_stream;  // of each role
  for (std::size_t v = 0; v < n; ++v) {
    auto& before = predecessors_[v];
    for (auto [edge, end] = boost::in_edges(v, graph); edge != end; ++edge)
      before.push_back(boost::source(*edge, graph));
    if (graph[v].kind != NodeKind::transfer) {
      const auto [last, first] = last_on_stream.try_emplace({graph[v].role, graph[v].stream}, v);
      if (!first && std::find(before.begin(), before.end(), last->second) == before.end())
        before.push_back(last->second);
      last->second = v;
    }
    for (const std::size_t u : before) successors_[u].push_back(v);
    const bool waits = std::any_of(before.begin(), before.end(), [&](std::size_t u) { return is_open(u); });
    if (waits || workloads::is_exchange(graph[v])) {
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
    for (const std::size_t u : predecessors_[v]) intervals[v].begin = max(intervals[v].begin, intervals[u].end);
    intervals[v].end = intervals[v].begin + duration(v, speed);
  }
  return intervals;
}

}  // namespace mlsim::sim
