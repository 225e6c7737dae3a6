#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "workloads/lowering.hpp"

namespace mlsim {
namespace {

constexpr Bytes kRowNumber(8);

// By layer: an embedding of which only rows have a gradient. A table that another layer reads densely has all of it.
std::vector<bool> sparse_layers(const Model& model) {
  std::vector<bool> sparse;
  for (const auto& layer : model.layers) {
    sparse.push_back(layer.sparse && layer.trainable && layer.shares < 0);
    if (layer.shares >= 0 && !layer.sparse) sparse[static_cast<std::size_t>(layer.shares)] = false;
  }
  return sparse;
}

std::string tensor_name(const Layer& layer, std::size_t tensor, std::size_t tensors) {
  if (tensors > 2) return fmt::format("{}.{}", layer.name, tensor);
  const bool weight = tensor == 0 && layer.shares < 0;  // a layer that shares its weight may own a bias
  return layer.name + (weight ? ".weight" : ".bias");
}

}  // namespace

std::vector<GradientBucket> gradient_buckets(const Model& model, const StepPlan& plan) {
  check_plan(plan);
  const auto sparse = sparse_layers(model);
  std::vector<GradientBucket> buckets;
  bool open = false;
  for (int index = static_cast<int>(model.layers.size()) - 1; index >= 0; --index) {
    const Layer& layer = model.layers[static_cast<std::size_t>(index)];
    if (!layer.trainable || sparse[static_cast<std::size_t>(index)]) continue;
    const auto tensors = layer.parameter_tensors();
    for (std::size_t t = tensors.size(); t-- > 0;) {
      if (!open) buckets.emplace_back();
      GradientBucket& bucket = buckets.back();
      bucket.bytes += plan.gradient_element * double(tensors[t]);
      bucket.parameters += tensors[t];
      bucket.tensors.push_back(tensor_name(layer, t, tensors.size()));
      if (bucket.layers.empty() || bucket.layers.back() != index) bucket.layers.push_back(index);
      bucket.last_layer = index;
      open = bucket.bytes < (buckets.size() == 1 ? plan.first_bucket : plan.bucket);
    }
  }
  return buckets;
}

std::vector<SparseGradient> sparse_gradients(const Model& model, const StepPlan& plan) {
  check_plan(plan);
  const auto sparse = sparse_layers(model);
  std::vector<SparseGradient> gradients;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (!sparse[i]) continue;
    const Layer& layer = model.layers[i];
    const double table = double(std::accumulate(layer.rows.begin(), layer.rows.end(), std::int64_t{0}));
    const double read = std::ceil(plan.batch_per_accelerator) * double(layer.output.positions());
    SparseGradient gradient;
    gradient.layer = static_cast<int>(i);
    gradient.rows = std::min(read, table);
    gradient.updated_rows = std::min(read * plan.data_parallel, table);
    gradient.width = layer.output.channels;
    const Bytes row = plan.gradient_element * double(gradient.width) + kRowNumber;
    gradient.payload = row * (gradient.rows * plan.data_parallel);
    gradients.push_back(gradient);
  }
  return gradients;
}

}  // namespace mlsim
