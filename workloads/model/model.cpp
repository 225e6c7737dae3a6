#include "workloads/model/model.hpp"

#include "workloads/model/operator.hpp"

namespace mlsim::workloads {
namespace {

template <class Count>
std::int64_t sum_over(const std::vector<Layer>& layers, Count count) {
  std::int64_t sum = 0;
  for (const auto& layer : layers) sum += count(layer);
  return sum;
}

}  // namespace

std::vector<std::int64_t> Layer::parameter_tensors() const {
  const auto tensors_of = operator_of(kind).parameter_tensors;
  if (!tensors_of) return {};
  if (shares < 0) return tensors_of(*this);
  if (owns_bias) return {tensors_of(*this).back()};
  return {};
}

std::int64_t Layer::parameters() const {
  std::int64_t sum = 0;
  for (const auto elements : parameter_tensors()) sum += elements;
  return sum;
}

std::int64_t Layer::look_ups() const {
  if (pooled.empty()) return output.positions();
  return std::accumulate(pooled.begin(), pooled.end(), std::int64_t{0});
}

std::int64_t Layer::macs() const {
  const auto macs_of = operator_of(kind).macs;
  return macs_of ? macs_of(*this) : 0;
}

std::int64_t Model::parameters() const {
  return sum_over(layers, [](const Layer& layer) { return layer.parameters(); });
}

std::int64_t Model::trainable_parameters() const {
  return sum_over(layers, [](const Layer& layer) { return layer.trainable ? layer.parameters() : 0; });
}

int Model::gradient_tensors() const {
  return static_cast<int>(sum_over(layers, [](const Layer& layer) {
    return layer.trainable ? static_cast<std::int64_t>(layer.parameter_tensors().size()) : 0;
  }));
}

std::int64_t Model::macs() const {
  return sum_over(layers, [](const Layer& layer) { return layer.macs(); });
}

}  // namespace mlsim::workloads
