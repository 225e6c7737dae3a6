// From a model and a plan to the step graph of a rank.
#pragma once

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

/// Device-memory bytes moved per parameter by one update with fp32 state (models.md 2.13): SGD 12, momentum 20,
/// LARS 28.
Bytes update_bytes_per_parameter(Optimizer optimizer);

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
  bool fusion = true;           // normalisation, activation and addition merge into their producers
  bool sharded_update = false;  // reduce-scatter, update on 1/N, all-gather
};

/// Gradient buckets in the order in which the backward pass releases them. Every tensor is in exactly one bucket.
struct GradientBucket {
  Bytes bytes;
  std::vector<std::string> tensors;
  int last_layer = 0;  // ready when the weight gradient of this layer is done
};
std::vector<GradientBucket> gradient_buckets(const Model& model, const StepPlan& plan);

StepGraph lower(const Model& model, const StepPlan& plan);

}  // namespace mlsim
