#include "replay/validation/graph_time.hpp"

#include <map>
#include <utility>
#include <vector>

namespace mlsim::replay {
namespace {

enum class Lane { compute, collectives, sent, received };

using LaneOfStage = std::pair<int, Lane>;

std::vector<LaneOfStage> lanes_of(const StepNode& node) {
  if (node.kind == NodeKind::transfer) return {{node.role, Lane::sent}, {node.peer, Lane::received}};
  return {{node.role, is_exchange(node) ? Lane::collectives : Lane::compute}};
}

}  // namespace

Seconds graph_time(const StepGraph& graph, const std::function<Seconds(StepVertex)>& duration) {
  std::vector<Seconds> end(graph.size());
  std::map<LaneOfStage, Seconds> free;
  Seconds last;
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex) {
    const StepNode& node = graph[vertex];
    Seconds begin;
    for (const StepVertex before : graph.predecessors(vertex)) begin = max(begin, end[before]);
    for (const LaneOfStage& lane : lanes_of(node)) begin = max(begin, free[lane]);
    end[vertex] = begin + (node.kind == NodeKind::host_work ? Seconds(0) : duration(vertex));
    for (const LaneOfStage& lane : lanes_of(node)) free[lane] = end[vertex];
    last = max(last, end[vertex]);
  }
  return last;
}

}  // namespace mlsim::replay
