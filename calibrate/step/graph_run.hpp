// graph_run() makes a step graph into a step that a processor runs.
#pragma once

#include <memory>

#include "calibrate/namespace.hpp"
#include "calibrate/step/real_step.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::calibrate {

/// The step runs the graph node for node: every kernel node has its kernel with operands of its own, so that none finds
/// its operands where the one before has left them; nothing is learnt. Throws Unavailable where a node has no kernel.
std::unique_ptr<RealStep> graph_run(const StepGraph& graph, int threads);

}  // namespace mlsim::calibrate
