#include "workloads/lowering/step_graph.hpp"

#include <algorithm>

namespace mlsim::workloads {
namespace {

bool reads_batch(const StepGraph& graph, StepGraph::vertex_descriptor vertex) {
  const StepNode& node = graph[vertex];
  const KernelOp op = node.work.key.op;
  if (node.kind != NodeKind::kernel || node.part != StepPart::forward) return false;
  if (op != KernelOp::conv_forward && op != KernelOp::dense_forward) return false;
  const auto edges = boost::make_iterator_range(in_edges(vertex, graph));
  return std::all_of(edges.begin(), edges.end(),
                     [&](const auto& edge) { return graph[source(edge, graph)].kind == NodeKind::host_work; });
}

}  // namespace

StepTraffic step_traffic(const StepGraph& graph) {
  StepTraffic traffic;
  for (const auto vertex : boost::make_iterator_range(vertices(graph))) {
    const StepNode& node = graph[vertex];
    for_kernels_of(node, [&](const KernelWork& work) { traffic.moved += work.bytes * node.repeats; });
    if (reads_batch(graph, vertex)) traffic.batch_readers.insert(node.work.key);
  }
  return traffic;
}

}  // namespace mlsim::workloads
