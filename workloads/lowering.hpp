// From a model and a plan to the step graph of a rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/precision.hpp"
#include "core/units.hpp"
#include "workloads/model.hpp"
#include "workloads/step_graph.hpp"

namespace mlsim {

enum class Optimizer { sgd, momentum, lars };
const std::vector<std::string>& optimizer_names();
std::string_view name(Optimizer optimizer);
Optimizer parse_optimizer(std::string_view word);  // throws InputError

/// Device-memory bytes moved per parameter by one update with fp32 state, a count of its loads and stores: SGD 12,
/// momentum 20, LARS 28.
Bytes update_bytes_per_parameter(Optimizer optimizer);
/// Bytes of state that the optimizer keeps per parameter beside the weight: SGD 0, the others 4 (fp32 momentum).
Bytes state_bytes_per_parameter(Optimizer optimizer);

/// How a step is laid out on every rank.
struct StepPlan {
  int data_parallel = 1;             // ranks that share the gradients
  double batch_per_accelerator = 1;  // samples
  Precision precision = Precision::fp32;
  Optimizer optimizer = Optimizer::momentum;
  Bytes gradient_element{4};     // bytes of one gradient on the wire
  Bytes bucket = mebibytes(25);  // gradients are exchanged in buckets of about this size
  Bytes first_bucket = mebibytes(1);
  bool overlap = true;          // buckets are exchanged while the backward pass goes on
  bool fusion = true;           // elementwise layers merge into the kernel before them (kernel_group.hpp)
  bool sharded_update = false;  // reduce-scatter, update on 1/N, all-gather
};

/// Throws InputError where a number of the plan has no meaning (no rank, no sample, a negative size).
void check_plan(const StepPlan& plan);

/// Tensors whose gradients are exchanged together.
struct GradientBucket {
  Bytes bytes;                       // on the wire
  std::vector<std::string> tensors;  // "stage1.block0.conv2.weight"
  int last_layer = 0;                // ready when the weight gradient of this layer is done
  std::vector<int> layers;           // all layers with a tensor here, in backward order
  std::int64_t parameters = 0;
};
/// In the order in which the backward pass releases them; every tensor is in exactly one bucket. A bucket closes once
/// it holds its size (the rule of PyTorch's DistributedDataParallel, Li et al., VLDB 2020, arXiv:2006.15704), so it may
/// exceed it by its last tensor.
std::vector<GradientBucket> gradient_buckets(const Model& model, const StepPlan& plan);

/// One step of one rank; all data-parallel ranks play this role. In vertex order:
///   input       host work that delivers the batch
///   forward     one kernel per group of layers (kernel_group.hpp)
///   backward    in reverse order; a matrix product has an input gradient and then a weight gradient, except that
///               nothing upstream of the first parameters has a gradient
///   exchange    per bucket one all-reduce, or with `sharded_update` a reduce-scatter, behind the bucket's weight
///               gradients; without `overlap` behind the whole backward pass; none on one rank
///   optimizer   one multi-tensor kernel behind all exchanges, as frameworks' `optimizer.step()`; with sharded update
///               on 1/N of the parameters. LARS first makes a norm pass over weights and gradients, and where shards
///               hold parts of tensors it adds up the norms with a small all-reduce (You et al., arXiv:1708.03888;
///               Kumar et al., arXiv:1909.09756).
///   all-gather  of each bucket's new weights, in the format the next step reads (sharded update only)
/// Throws InputError as check_plan does.
StepGraph lower(const Model& model, const StepPlan& plan);

}  // namespace mlsim
