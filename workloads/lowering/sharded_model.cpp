#include "workloads/lowering/sharded_model.hpp"

#include <utility>

namespace mlsim::workloads {

ShardedModel::ShardedModel(Model whole)
    : model(std::move(whole)), gradient_axes(model.layers.size(), kGradientAxes), load(model.layers.size(), 1.0) {}

}  // namespace mlsim::workloads
