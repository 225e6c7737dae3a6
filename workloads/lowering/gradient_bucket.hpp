// Gradient buckets are gradients that are exchanged together; rows of embeddings are exchanged apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::workloads {

/// A bucket holds tensors whose gradients are exchanged together.
struct GradientBucket {
  Bytes bytes;                       // on the wire
  std::vector<std::string> tensors;  // "stage1.block0.conv2.weight"
  int last_layer = 0;                // the last of `layers`
  std::vector<int> layers;           // all layers that own a tensor here, in backward order
  std::int64_t parameters = 0;
  AxisSet axes;  // ranks that sum these gradients up, empty where there is one; the tensors of a bucket share them
};
/// Buckets stand in the order in which the backward pass releases them; every trained tensor with a dense gradient is
/// in exactly one bucket. A bucket closes once it holds its size (the rule of PyTorch's DistributedDataParallel, Li et
/// al., VLDB 2020, arXiv:2006.15704), so it may exceed it by its last tensor.
std::vector<GradientBucket> gradient_buckets(const ShardedModel& sharded, const StepPlan& plan);

/// A sparse gradient is that of an embedding whose rows are exchanged and updated apart from the rest.
struct SparseGradient {
  int layer = 0;
  double rows = 0;          // that a rank's batch reads, each counted as often as it is read, at most the whole table
  double updated_rows = 0;  // of all ranks' batches, at most the whole table
  std::int64_t width = 0;   // elements of a row
  Bytes payload;  // of the all-gather: rows and their 8-byte numbers (PyTorch's and TensorFlow's) of all ranks
  AxisSet axes;   // ranks whose rows are gathered; empty where the rank alone holds the table
};
std::vector<SparseGradient> sparse_gradients(const ShardedModel& sharded, const StepPlan& plan);

}  // namespace mlsim::workloads
