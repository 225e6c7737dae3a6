#include "workloads/model.hpp"

namespace mlsim {
namespace {

template <class Count>
std::int64_t sum_over(const std::vector<Layer>& layers, Count count) {
  std::int64_t sum = 0;
  for (const auto& layer : layers) sum += count(layer);
  return sum;
}

}  // namespace

std::vector<std::int64_t> Layer::parameter_tensors() const {
  std::vector<std::int64_t> tensors;
  if (kind == LayerKind::convolution) {
    tensors.push_back(std::int64_t{kernel} * kernel * input.channels * output.channels);
  } else if (kind == LayerKind::dense) {
    tensors.push_back(input.elements() * output.channels);
  } else if (kind == LayerKind::batch_normalization) {
    tensors.push_back(input.channels);
  }
  if (bias) tensors.push_back(output.channels);
  return tensors;
}

std::int64_t Layer::parameters() const {
  std::int64_t sum = 0;
  for (const auto elements : parameter_tensors()) sum += elements;
  return sum;
}

std::int64_t Layer::macs() const {
  if (kind == LayerKind::convolution) return std::int64_t{kernel} * kernel * input.channels * output.elements();
  if (kind == LayerKind::dense) return input.elements() * output.channels;
  return 0;
}

std::int64_t Model::parameters() const {
  return sum_over(layers, [](const Layer& layer) { return layer.parameters(); });
}

int Model::gradient_tensors() const {
  return static_cast<int>(
      sum_over(layers, [](const Layer& layer) { return static_cast<std::int64_t>(layer.parameter_tensors().size()); }));
}

std::int64_t Model::macs() const {
  return sum_over(layers, [](const Layer& layer) { return layer.macs(); });
}

}  // namespace mlsim
