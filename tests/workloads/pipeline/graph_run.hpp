// Runs a step graph of several roles by its edges and streams, given how long each node takes.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "core/units.hpp"
#include "tests/namespace.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::test {

struct GraphRun {
  std::vector<double> start, end;  // by vertex
  double length = 0;
};

inline GraphRun run_graph(const StepGraph& graph, const std::function<double(const StepNode&)>& seconds) {
  GraphRun run;
  std::map<std::pair<int, Stream>, double> free_at;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    double start = 0;
    for (const StepVertex before : graph.predecessors(v)) {
      REQUIRE(before < v);
      const StepNode& from = graph[before];
      const int delivered_to = from.kind == NodeKind::transfer && from.role != node.role ? from.peer : from.role;
      REQUIRE(delivered_to == node.role);
      start = std::max(start, run.end[before]);
    }
    if (node.kind != NodeKind::transfer) start = std::max(start, free_at[{node.role, node.stream}]);
    const double end = start + seconds(node) * node.repeats;
    if (node.kind != NodeKind::transfer) free_at[{node.role, node.stream}] = end;
    run.start.push_back(start);
    run.end.push_back(end);
    run.length = std::max(run.length, end);
  }
  return run;
}

inline double flop_of(const StepNode& node) {
  if (node.kind == NodeKind::kernel) return node.work->flop.value;
  double sum = 0;
  if (node.kind == NodeKind::kernel_sequence) {
    for (const auto& work : *node.sequence) sum += work.flop.value;
  }
  return sum;
}

inline double total_flop(const StepGraph& graph) {
  double sum = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) sum += flop_of(graph[v]) * graph[v].repeats;
  return sum;
}

}  // namespace mlsim::test
