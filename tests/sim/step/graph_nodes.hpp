// Step graphs of nodes that have nothing but a kind and a stream.
#pragma once

#include <vector>

#include "workloads/lowering/step_graph.hpp"

namespace mlsim::test {

inline std::size_t add(workloads::StepGraph& graph, workloads::NodeKind kind, workloads::Stream stream,
                       const std::vector<std::size_t>& after) {
  workloads::StepNode node;
  node.kind = kind;
  node.stream = stream;
  return graph.add(node, after);
}

/// A collective on the stream for communication, a kernel on others.
inline std::size_t add(workloads::StepGraph& graph, workloads::Stream stream, const std::vector<std::size_t>& after) {
  using workloads::NodeKind;
  return add(graph, stream == workloads::Stream::communication ? NodeKind::collective : NodeKind::kernel, stream,
             after);
}

}  // namespace mlsim::test
