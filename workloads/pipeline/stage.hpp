// stage_parts() gives the parts of a model that the stages of a pipeline compute.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/lowering/sharded_model.hpp"

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
/// many gradients.
struct BoundaryElements {
  double forward = 0, backward = 0;
};
/// Returns them by chunk; nothing for the first.
std::vector<BoundaryElements> boundary_elements(const ShardedModel& whole, const std::vector<int>& first_layers);

}  // namespace mlsim::workloads
