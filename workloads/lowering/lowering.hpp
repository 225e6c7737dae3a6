// lower() turns a model and a plan into the step graph of a rank.
#pragma once

#include "workloads/lowering/sharded_model.hpp"
#include "workloads/lowering/step_graph.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::workloads {

/// Lowers one step of one rank; all ranks play this role. Nodes come in vertex order:
///   input       host work that delivers the batch
///   pull        with `parameter_servers`, of all variables; the forward pass waits for it
///   forward     the kernels of each group of layers; a layer that runs on the host is host work
///   backward    in reverse order, from the losses; a matrix product has an input gradient and then a weight gradient,
///               except that nothing upstream of the first trained parameters has a gradient and frozen parameters have
///               none. With full `recompute` a repeated block runs forward once more before its backward pass, with
///               selective the kernels of its modules do.
///   gather      with sharded parameters, of each block's before its forward pass and, with `reshard`, once more before
///               its backward pass, one block ahead of the kernels
///   exchange    per bucket one all-reduce, or with sharded state a reduce-scatter (and an all-reduce between replicas
///               of the shards), behind the weight gradients of all layers that share the bucket's tensors, of sharded
///               gradients for each micro-batch; and an all-gather of the rows of each sparse gradient;
///               without `overlap` behind the whole backward pass; none on one rank. With `parameter_servers` per
///               bucket a push, also of a single rank. With `cycles` the exchanges of a cycle stand behind its wait,
///               which is host work, and a bucket of several tensors is copied into a buffer before its all-reduce and
///               out of it behind
///   optimizer   none with `parameter_servers`; else one multi-tensor kernel behind all exchanges, as frameworks'
///               `optimizer.step()`; with sharded state on 1/N of the parameters; one more for the rows of each sparse
///               gradient. LARS and LAMB first make a pass for norms, and where shards hold parts of tensors add up the
///               norms with a small all-reduce (You et al., arXiv:1708.03888 and 1904.00962; Kumar et al.,
///               arXiv:1909.09756).
///   all-gather  of each bucket's new weights, in the format the next step reads (where the optimizer or gradients are
///   sharded)
/// Where ranks share out the layers (ShardedModel) their exchanges stand before or behind the kernels of the
/// layer. With N micro-batches the forward and backward nodes of the first N - 1 stand before those of the last, once,
/// with `repeats`. Throws InputError as check_plan does.
StepGraph lower(const ShardedModel& sharded, const StepPlan& plan);

}  // namespace mlsim::workloads
