// The node of a step graph that has a name.
#pragma once

#include <string>

#include "catch.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::test {

/// There is one such node.
inline workloads::StepVertex node_named(const workloads::StepGraph& graph, const std::string& name) {
  INFO(name);
  workloads::StepVertex found = boost::num_vertices(graph);
  for (workloads::StepVertex v = 0; v < boost::num_vertices(graph); ++v) {
    if (graph[v].name != name) continue;
    REQUIRE(found == boost::num_vertices(graph));
    found = v;
  }
  REQUIRE(found < boost::num_vertices(graph));
  return found;
}

}  // namespace mlsim::test
