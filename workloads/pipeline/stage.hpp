// stage_parts() gives the parts of a model that the stages of a pipeline compute, stage_work() what these do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/lowering/step_builder.hpp"

namespace mlsim::workloads {

/// part[c] has layers [first_layers[c], first_layers[c + 1]), numbered from 0. The inputs of a part are those of the
/// whole model and then, named after their layers, the tensors of earlier chunks that it reads. A layer that shares
/// parameters of an earlier chunk owns a copy of them, as Megatron-LM (arXiv:1909.08053) keeps a tied embedding twice;
/// the gradients of such parameters are dense. Throws std::logic_error where first_layers does not start at 0 or does
/// not ascend.
std::vector<ShardedModel> stage_parts(const ShardedModel& whole, const std::vector<int>& first_layers);

/// Tied parameters are trained ones that several chunks hold, whose gradients these sum up before the update.
struct TiedParameters {
  int owner = 0;            // layer of the whole model
  std::vector<int> chunks;  // ascending, at least two
  std::int64_t parameters = 0;
};
std::vector<TiedParameters> tied_parameters(const ShardedModel& whole, const std::vector<int>& first_layers);

/// A chunk gets so many elements per sample from the one before it, those for later chunks included, and gives back so
/// many gradients. Of these all tensor ranks hold the same `copied` ones.
struct BoundaryElements {
  struct Count {
    double all = 0, copied = 0;
  };
  Count forward, backward;
};
/// Returns them by chunk; nothing for the first.
std::vector<BoundaryElements> boundary_elements(const ShardedModel& whole, const std::vector<int>& first_layers);

/// StageWork is what a chunk of a pipeline stage does for one micro-batch and at the end of the step, gathered from its
/// own step graph.
struct StageWork {
  std::shared_ptr<const Kernels> forward, backward;  // kernels of a micro-batch
  std::shared_ptr<const Kernels> weights;            // of its weight gradients, where these are a pass of their own
  Seconds host_time;                                 // time of layers on the host, before the forward kernels
  std::vector<StepNode>
      forward_exchanges;  // exchanges of a micro-batch: one node with `repeats` for all exchanges of a
  std::vector<StepNode> backward_exchanges;  // kind on the same axes, of their mean payload
  std::vector<StepNode> gathers;             // of sharded parameters, before the first micro-batch, in their order

  /// A gradient node is an exchange of gradients, behind so many of the last micro-batch's backward kernels, or of its
  /// weight gradients where these are a pass of their own.
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
/// With `weights_apart` weight gradients are a pass of their own.
StageWork stage_work(const ShardedModel& part, const StepPlan& plan, bool weights_apart = false);

}  // namespace mlsim::workloads
