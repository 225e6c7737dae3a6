// StageWork is what a chunk of a pipeline stage does for one micro-batch and at the end of the step, gathered from its
// own step graph.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/step_builder.hpp"

namespace mlsim::workloads {

struct StageWork {
  std::shared_ptr<const Kernels> forward, backward;  // kernels of a micro-batch
  Seconds host_time;                                 // time of layers on the host, before the forward kernels
  std::vector<StepNode>
      forward_exchanges;  // exchanges of a micro-batch: one node with `repeats` for all exchanges of a
  std::vector<StepNode> backward_exchanges;  // kind on the same axes, of their mean payload

  /// A gradient node is an exchange of gradients, behind so many of the last micro-batch's backward kernels.
  struct GradientNode {
    StepNode node;
    std::size_t kernels = 0;
  };
  std::vector<GradientNode> gradients;  // in their order

  /// An update node stands behind these gradients and earlier nodes of the update; all are behind the backward pass.
  struct UpdateNode {
    StepNode node;
    std::vector<std::size_t> gradients, updates;
  };
  std::vector<UpdateNode> update;
};

/// Gathers the work from lower(part, plan). `plan` is that of the whole pipeline; what plan.recompute names runs again.
StageWork stage_work(const ShardedModel& part, const StepPlan& plan);

}  // namespace mlsim::workloads
