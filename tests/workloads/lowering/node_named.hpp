// The node of a step graph that has a name.
#pragma once

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::test {

/// There is one such node.
inline workloads::StepVertex node_named(const workloads::StepGraph& graph, const std::string& name) {
  INFO(name);
  workloads::StepVertex found = graph.size();
  for (workloads::StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].name != name) continue;
    REQUIRE(found == graph.size());
    found = v;
  }
  REQUIRE(found < graph.size());
  return found;
}

/// Says whether an edge leads from `early` to `late`.
inline bool follows(const workloads::StepGraph& graph, workloads::StepVertex late, workloads::StepVertex early) {
  const auto before = graph.predecessors(late);
  return std::find(before.begin(), before.end(), early) != before.end();
}

}  // namespace mlsim::test
