#include "workloads/lowering/gradient_bucket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "workloads/lowering/block.hpp"

namespace mlsim::workloads {
namespace {

// sparse[i]: only rows of embedding i have a gradient. A table that another layer reads densely has all of it.
std::vector<bool> sparse_layers(const Model& model) {
  std::vector<bool> sparse;
  for (const auto& layer : model.layers) {
    sparse.push_back(layer.sparse && layer.trainable && layer.shares < 0);
    if (layer.shares >= 0 && !layer.sparse) sparse[layer.shares] = false;
  }
  return sparse;
}

std::string tensor_name(const Layer& layer, std::size_t tensor, std::size_t tensors) {
  if (tensors > 2) return fmt::format("{}.{}", layer.name, tensor);
  const bool weight = tensor == 0 && layer.shares < 0;  // a layer that shares its weight may own a bias
  return layer.name + (weight ? ".weight" : ".bias");
}

// Fills buckets whose tensors are given.
std::vector<GradientBucket> cycled_buckets(const ShardedModel& sharded, const StepPlan& plan) {
  StepPlan alone = plan;
  alone.cycles.reset();
  alone.bucket = alone.first_bucket = Bytes(0);
  std::vector<GradientBucket> buckets(plan.cycles->cycle_of_bucket.size());
  std::size_t tensor = 0;
  for (const GradientBucket& each : gradient_buckets(sharded, alone)) {
    GradientBucket& bucket = buckets[plan.cycles->bucket_of_tensor[tensor++]];
    bucket.bytes += each.bytes;
    bucket.parameters += each.parameters;
    bucket.tensors.push_back(each.tensors.front());
    if (bucket.layers.empty() || bucket.layers.back() != each.last_layer) bucket.layers.push_back(each.last_layer);
    bucket.last_layer = each.last_layer;
    bucket.axes = each.axes;
  }
  return buckets;
}

}  // namespace

std::vector<GradientBucket> gradient_buckets(const ShardedModel& sharded, const StepPlan& plan) {
  check_plan(plan);
  if (plan.cycles) return cycled_buckets(sharded, plan);
  const Model& model = sharded.model;
  const auto sparse = sparse_layers(model);
  std::vector<GradientBucket> buckets;
  std::map<AxisSet, std::size_t> open;  // the bucket that still takes tensors
  std::set<AxisSet> begun;
  // Sharded parameters leave block by block, as they are gathered.
  const bool by_block = plan.shards(StateSharding::parameters);
  std::set<int> starts;
  if (by_block)
    for (const int start : block_starts(model, plan.fusion)) starts.insert(start);
  for (int index = static_cast<int>(model.layers.size()) - 1; index >= 0; --index) {
    const Layer& layer = model.layers[index];
    if (by_block && starts.contains(index + 1)) open.clear();
    if (!layer.trainable || sparse[index]) continue;
    const AxisSet axes = plan.parallelism.used(sharded.gradient_axes[index]);
    const auto tensors = layer.parameter_tensors();
    for (std::size_t t = tensors.size(); t-- > 0;) {
      const auto [place, fresh] = open.try_emplace(axes, buckets.size());
      if (fresh) buckets.emplace_back().axes = axes;
      GradientBucket& bucket = buckets[place->second];
      bucket.bytes += plan.gradient_element * double(tensors[t]);
      bucket.parameters += tensors[t];
      bucket.tensors.push_back(tensor_name(layer, t, tensors.size()));
      if (bucket.layers.empty() || bucket.layers.back() != index) bucket.layers.push_back(index);
      bucket.last_layer = index;
      if (by_block || bucket.bytes < (begun.contains(axes) ? plan.bucket : plan.first_bucket)) continue;
      begun.insert(axes);
      open.erase(place);
    }
  }
  return buckets;
}

std::vector<SparseGradient> sparse_gradients(const ShardedModel& sharded, const StepPlan& plan) {
  check_plan(plan);
  const Model& model = sharded.model;
  const auto sparse = sparse_layers(model);
  std::vector<SparseGradient> gradients;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (!sparse[i]) continue;
    const Layer& layer = model.layers[i];
    const double table = double(std::accumulate(layer.rows.begin(), layer.rows.end(), std::int64_t{0}));
    const double read = std::ceil(plan.batch_per_accelerator) * double(layer.look_ups());
    SparseGradient gradient;
    gradient.axes = plan.parallelism.used(sharded.gradient_axes[i]);
    const int ranks = plan.parallelism.size_of(gradient.axes);
    gradient.layer = static_cast<int>(i);
    gradient.rows = std::min(read, table);
    gradient.updated_rows = std::min(read * ranks, table);
    gradient.width = layer.output.channels;
    const Bytes row = plan.gradient_element * double(gradient.width) + kRowNumber;
    gradient.payload = row * (gradient.rows * ranks);
    gradients.push_back(gradient);
  }
  return gradients;
}

}  // namespace mlsim::workloads
