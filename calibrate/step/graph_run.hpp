// graph_run() makes a step graph into a step that a processor runs.
#pragma once

#include <memory>

#include "calibrate/namespace.hpp"
#include "calibrate/step/real_step.hpp"
#include "core/text/errors.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::calibrate {

/// Calls `visit(work, repeats)` for each kernel in the order in which one rank runs them. Throws Unavailable where a
/// node is an exchange, which needs other ranks.
template <class Visit>
void for_kernels(const StepGraph& graph, Visit&& visit) {
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex) {
    const StepNode& node = graph[vertex];
    if (is_exchange(node)) throw Unavailable("one rank alone cannot run \"" + node.name + "\"");
    for_kernels_of(node, [&](const KernelWork& work) { visit(work, node.repeats); });
  }
}

/// The step runs the graph node for node: every kernel node has its kernel with operands of its own, so that none finds
/// its operands where the one before has left them; nothing is learnt. Throws Unavailable where a node has no kernel.
std::unique_ptr<RealStep> graph_run(const StepGraph& graph, int threads);

}  // namespace mlsim::calibrate
