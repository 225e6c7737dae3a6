#include "workloads/lowering.hpp"

namespace mlsim {

std::vector<GradientBucket> gradient_buckets(const Model& model, const StepPlan& plan) {
  check_plan(plan);
  std::vector<GradientBucket> buckets;
  bool open = false;
  for (int index = static_cast<int>(model.layers.size()) - 1; index >= 0; --index) {
    const Layer& layer = model.layers[static_cast<std::size_t>(index)];
    const auto tensors = layer.parameter_tensors();
    for (std::size_t t = tensors.size(); t-- > 0;) {
      if (!open) buckets.emplace_back();
      GradientBucket& bucket = buckets.back();
      bucket.bytes += plan.gradient_element * double(tensors[t]);
      bucket.parameters += tensors[t];
      bucket.tensors.push_back(layer.name + (t == 0 ? ".weight" : ".bias"));
      if (bucket.layers.empty() || bucket.layers.back() != index) bucket.layers.push_back(index);
      bucket.last_layer = index;
      open = bucket.bytes < (buckets.size() == 1 ? plan.first_bucket : plan.bucket);
    }
  }
  return buckets;
}

}  // namespace mlsim
