#include "workloads/lowering/step_graph.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace mlsim::workloads {
namespace {

bool reads_batch(const StepGraph& graph, StepVertex vertex) {
  const StepNode& node = graph[vertex];
  const KernelOp op = node.work->key.op;
  if (node.kind != NodeKind::kernel || node.part != StepPart::forward) return false;
  if (op != KernelOp::conv_forward && op != KernelOp::dense_forward) return false;
  const auto before = graph.predecessors(vertex);
  return std::all_of(before.begin(), before.end(), [&](StepVertex u) { return graph[u].kind == NodeKind::host_work; });
}

}  // namespace

const KernelWork& NodeWork::nothing() {
  static const KernelWork nothing;
  return nothing;
}

StepVertex StepGraph::add(StepNode node, Vertices after) {
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  if (!after.empty() && after.back() >= size()) throw std::logic_error("step graph: a node waits for a later one");
  for (const StepVertex before : after) before_.push(static_cast<std::uint32_t>(before));
  before_.close();
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

StepTraffic step_traffic(const StepGraph& graph) {
  StepTraffic traffic;
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex) {
    const StepNode& node = graph[vertex];
    for_kernels_of(node, [&](const KernelWork& work) { traffic.moved += work.bytes * node.repeats; });
    if (reads_batch(graph, vertex)) traffic.batch_readers.insert(node.work->key);
  }
  return traffic;
}

}  // namespace mlsim::workloads
