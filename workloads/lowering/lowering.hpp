// From a model and a plan to the step graph of a rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/precision.hpp"
#include "core/units.hpp"
#include "workloads/lowering/optimizer.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/lowering/step_graph.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::workloads {

/// Buckets as a background thread composes them that looks for gradients in cycles of its own (sim/speed/horovod.hpp).
struct FusionCycles {
  std::vector<int> bucket_of_tensor;   // by tensor in the order of gradient_buckets
  std::vector<int> cycle_of_bucket;    // ascending
  std::vector<Seconds> wait_of_cycle;  // from its last gradient, or the wait before where that ends later, to its start
};

/// How a step is laid out on every rank.
struct StepPlan {
  Parallelism parallelism;
  double batch_per_accelerator = 1;  // samples that go through one rank's part of the model; where an axis splits a
                                     // sample, more than the global batch over the ranks
  Precision precision = Precision::fp32;
  Optimizer optimizer = Optimizer::momentum;
  Bytes gradient_element{4};                  // bytes of one gradient on the wire
  std::optional<Precision> weight_precision;  // of gathered weights (sharded update); without: that of the step
  Bytes bucket = mebibytes(25);               // gradients are exchanged in buckets of about this size
  Bytes first_bucket = mebibytes(1);
  std::optional<FusionCycles> cycles;  // in place of buckets by size; of a step whose ranks share all gradients
  bool overlap = true;                 // buckets are exchanged while the backward pass goes on
  bool fusion = true;                  // elementwise layers merge into the kernel before them (kernel_group.hpp)
  bool sharded_update = false;         // reduce-scatter, update on 1/N, all-gather
  bool parameter_servers = false;      // variables are pulled and gradients pushed; servers update
  bool multi_tensor = true;  // the update is one kernel for all tensors, else the framework's kernels for each
  bool recompute = false;    // repeated blocks keep their inputs only and run forward again in the backward pass
  int micro_batches = 1;     // gradients of so many parts of the batch add up before the exchange
  int in_flight = 1;         // micro-batches whose activations are in memory at once
};

/// Samples that one rank's host delivers: ranks that share a sample read it once.
double input_samples(const StepPlan& plan);

/// Throws InputError where a number of the plan has no meaning (no rank, no sample, no micro-batch, a negative size).
void check_plan(const StepPlan& plan);

/// Tensors whose gradients are exchanged together.
struct GradientBucket {
  Bytes bytes;                       // on the wire
  std::vector<std::string> tensors;  // "stage1.block0.conv2.weight"
  int last_layer = 0;                // the last of `layers`
  std::vector<int> layers;           // all layers that own a tensor here, in backward order
  std::int64_t parameters = 0;
  AxisSet axes;  // ranks that sum these gradients up, empty where there is one; the tensors of a bucket share them
};
/// In the order in which the backward pass releases them; every trained tensor with a dense gradient is in exactly one
/// bucket. A bucket closes once it holds its size (the rule of PyTorch's DistributedDataParallel, Li et al., VLDB 2020,
/// arXiv:2006.15704), so it may exceed it by its last tensor.
std::vector<GradientBucket> gradient_buckets(const ShardedModel& sharded, const StepPlan& plan);

/// The gradient of an embedding whose rows are exchanged and updated apart from the rest.
struct SparseGradient {
  int layer = 0;
  double rows = 0;          // that a rank's batch reads, each counted as often as it is read, at most the whole table
  double updated_rows = 0;  // of all ranks' batches, at most the whole table
  std::int64_t width = 0;   // elements of a row
  Bytes payload;  // of the all-gather: rows and their 8-byte numbers (PyTorch's and TensorFlow's) of all ranks
  AxisSet axes;   // ranks whose rows are gathered; empty where the rank alone holds the table
};
std::vector<SparseGradient> sparse_gradients(const ShardedModel& sharded, const StepPlan& plan);

/// One step of one rank; all ranks play this role. In vertex order:
///   input       host work that delivers the batch
///   pull        with `parameter_servers`, of all variables; the forward pass waits for it
///   forward     the kernels of each group of layers (kernel_group.hpp); a layer that runs on the host is host work
///   backward    in reverse order, from the losses; a matrix product has an input gradient and then a weight gradient,
///               except that nothing upstream of the first trained parameters has a gradient and frozen parameters have
///               none. With `recompute` a repeated block runs forward once more before its backward pass.
///   exchange    per bucket one all-reduce, or with `sharded_update` a reduce-scatter, behind the weight gradients of
///               all layers that share the bucket's tensors, and an all-gather of the rows of each sparse gradient;
///               without `overlap` behind the whole backward pass; none on one rank. With `parameter_servers` per
///               bucket a push, also of a single rank. With `cycles` the exchanges of a cycle stand behind its wait,
///               which is host work, and a bucket of several tensors is copied into a buffer before its all-reduce and
///               out of it behind
///   optimizer   none with `parameter_servers`; else one multi-tensor kernel behind all exchanges, as frameworks'
///               `optimizer.step()`; with sharded update on 1/N of the parameters; one more for the rows of each sparse
///               gradient. LARS and LAMB first make a pass for norms, and where shards hold parts of tensors add up the
///               norms with a small all-reduce (You et al., arXiv:1708.03888 and 1904.00962; Kumar et al.,
///               arXiv:1909.09756).
///   all-gather  of each bucket's new weights, in the format the next step reads (sharded update only)
/// Where ranks share out the layers (sharded_model.hpp) their exchanges stand before or behind the kernels of the
/// layer. With N micro-batches the forward and backward nodes of the first N - 1 stand before those of the last, once,
/// with `repeats`. Throws InputError as check_plan does.
StepGraph lower(const ShardedModel& sharded, const StepPlan& plan);

}  // namespace mlsim::workloads
