#include "sim/step/step_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mlsim::sim {
namespace {

// A transfer runs as soon as the data that it carries is there.
bool is_queued(const StepNode& node) { return node.kind != NodeKind::transfer; }

}  // namespace

StepOrder::StepOrder(const StepGraph& graph) : graph_(&graph), before_on_stream_(graph.size(), kNone) {
  std::map<std::pair<int, Stream>, std::uint32_t> last_on_stream;  // of each role
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    const auto before = graph.predecessors(v);
    for (const std::uint32_t u : before) predecessors_.push(u);
    if (is_queued(graph[v])) {
      const auto [last, first] = last_on_stream.try_emplace({graph[v].role, graph[v].stream}, v);
      if (!first) {
        before_on_stream_[v] = last->second;
        if (std::find(before.begin(), before.end(), last->second) == before.end()) predecessors_.push(last->second);
      }
      last->second = v;
    }
    predecessors_.close();
  }
  successors_ = reversed(predecessors_);
}

bool StepOrder::on_one_stream(std::size_t a, std::size_t b) const {
  return is_queued(node(a)) && is_queued(node(b)) && node(a).role == node(b).role && node(a).stream == node(b).stream;
}

std::vector<std::size_t> StepOrder::nearest_predecessors(std::size_t vertex) const {
  const auto before = predecessors(vertex);
  std::vector<std::size_t> nearest(before.begin(), before.end());
  std::erase_if(nearest, [&](std::size_t u) { return on_one_stream(u, vertex) && before_on_stream_[vertex] != u; });
  return nearest;
}

Seconds even_step_time(const StepOrder& order, const std::vector<Seconds>& duration) {
  std::vector<Seconds> end(order.size());
  Seconds last;
  for (std::size_t v = 0; v < end.size(); ++v) {
    for (const std::size_t u : order.predecessors(v)) end[v] = max(end[v], end[u]);
    end[v] += duration[v];
    last = max(last, end[v]);
  }
  return last;
}

}  // namespace mlsim::sim
