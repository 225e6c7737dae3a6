// for_kernels() walks the kernels of a step graph in the order in which one rank runs them.
#pragma once

#include <boost/graph/adjacency_list.hpp>

#include "calibrate/namespace.hpp"
#include "core/text/errors.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::calibrate {

/// Calls `visit(work, repeats)` for each. Throws Unavailable where a node is an exchange, which needs other ranks.
template <class Visit>
void for_kernels(const StepGraph& graph, Visit&& visit) {
  for (const auto vertex : boost::make_iterator_range(boost::vertices(graph))) {
    const StepNode& node = graph[vertex];
    if (is_exchange(node)) throw Unavailable("one rank alone cannot run \"" + node.name + "\"");
    for_kernels_of(node, [&](const KernelWork& work) { visit(work, node.repeats); });
  }
}

}  // namespace mlsim::calibrate
