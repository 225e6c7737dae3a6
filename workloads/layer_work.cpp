#include "workloads/layer_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace mlsim {
namespace {

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::ceil(value)); }

// Rows (or columns) of the input that at least one window covers.
std::int64_t covered(int extent, int windows, int kernel, int stride, int padding) {
  std::int64_t count = 0;
  int end = 0;  // of what earlier windows cover
  for (int i = 0; i < windows; ++i) {
    const int begin = i * stride - padding;
    const int stop = std::min(begin + kernel, extent);
    count += std::max(0, stop - std::max(begin, end));
    end = std::max(end, stop);
  }
  return count;
}

double input_elements(const Layer& layer, Pass pass) {
  // An input gradient is written whole, with zeros where no window lies.
  if (layer.kind == LayerKind::dense || pass == Pass::input_gradient) return double(layer.input.elements());
  const auto rows = covered(layer.input.height, layer.output.height, layer.kernel, layer.stride, layer.padding);
  const auto columns = covered(layer.input.width, layer.output.width, layer.kernel, layer.stride, layer.padding);
  return double(layer.input.channels) * double(rows) * double(columns);
}

KernelOp op_of(LayerKind kind, Pass pass) {
  static constexpr std::array<KernelOp, 3> convolution{KernelOp::conv_forward, KernelOp::conv_input_gradient,
                                                       KernelOp::conv_weight_gradient};
  static constexpr std::array<KernelOp, 3> dense{KernelOp::dense_forward, KernelOp::dense_input_gradient,
                                                 KernelOp::dense_weight_gradient};
  return (kind == LayerKind::dense ? dense : convolution)[static_cast<std::size_t>(pass)];
}

KernelKey matrix_key(const Layer& layer, Pass pass, double batch, Precision precision) {
  KernelKey key{op_of(layer.kind, pass), precision, {}};
  const int outputs = layer.output.channels;
  if (layer.kind == LayerKind::dense) {
    key.dims = {whole(batch), layer.input.elements(), outputs};
    return key;
  }
  const int beyond_usual = 2 * (layer.padding - (layer.kernel - 1) / 2);
  key.dims = {
      whole(batch), layer.input.channels, layer.input.height + beyond_usual, layer.input.width + beyond_usual, outputs,
      layer.kernel, layer.stride};
  return key;
}

GemmShape gemm_of(const Layer& layer, Pass pass, double batch) {
  // A dense layer is a 1x1 convolution of a 1x1 image.
  const bool dense = layer.kind == LayerKind::dense;
  const double taps = dense ? 1.0 : double(layer.kernel) * layer.kernel;
  const double inputs = dense ? double(layer.input.elements()) : layer.input.channels;
  const double input_pixels = dense ? 1.0 : double(layer.input.height) * layer.input.width;
  const double output_pixels = double(layer.output.height) * layer.output.width;
  const double outputs = layer.output.channels;
  const double strides = double(layer.stride) * layer.stride;
  switch (pass) {
    case Pass::forward: return {batch * output_pixels, outputs, inputs * taps};
    case Pass::input_gradient: return {batch * input_pixels / strides, inputs, outputs * taps};
    case Pass::weight_gradient: return {inputs * taps, outputs, batch * output_pixels};
  }
  throw std::logic_error("unknown pass");
}

}  // namespace

bool is_matrix_product(LayerKind kind) { return kind == LayerKind::convolution || kind == LayerKind::dense; }

KernelWork matrix_work(const Layer& layer, Pass pass, double batch, Precision precision) {
  KernelWork work;
  work.key = matrix_key(layer, pass, batch, precision);
  work.flop = Flop(2.0 * batch * double(layer.macs()));
  const double per_sample = input_elements(layer, pass) + double(layer.output.elements());
  work.bytes = element_size(precision) * (batch * per_sample + double(layer.parameters()));
  work.gemm = gemm_of(layer, pass, batch);
  work.fast_fp32_convolution = layer.kind == LayerKind::convolution && (layer.kernel == 3 || layer.kernel == 5) &&
                               layer.stride == 1 && layer.input.channels > 3;
  return work;
}

TensorPasses& TensorPasses::operator+=(TensorPasses other) {
  read += other.read;
  written += other.written;
  return *this;
}

TensorPasses elementwise_passes(LayerKind kind, bool backward, bool merged) {
  switch (kind) {
    case LayerKind::batch_normalization:
      if (backward) return {4, 1};
      return merged ? TensorPasses{1.5, 1} : TensorPasses{2, 1};
    case LayerKind::relu:
      if (merged) return {0, 0};
      return backward ? TensorPasses{2, 1} : TensorPasses{1, 1};
    case LayerKind::add:
      if (backward) return merged ? TensorPasses{0, 0} : TensorPasses{0.25, 0.25};
      return merged ? TensorPasses{1, 0} : TensorPasses{2, 1};
    case LayerKind::max_pool:
    case LayerKind::average_pool: return backward ? TensorPasses{1, 1} : TensorPasses{1, 0.2};
    case LayerKind::softmax_loss:
      if (merged) return backward ? TensorPasses{2, 1} : TensorPasses{1, 1};
      return {3, 1};
    case LayerKind::convolution:
    case LayerKind::dense: break;
  }
  throw std::logic_error("a matrix product has no elementwise passes");
}

KernelWork elementwise_work(TensorPasses elements, Precision precision) {
  KernelWork work;
  work.key = {KernelOp::elementwise, precision, {std::llround(elements.read), std::llround(elements.written)}};
  work.bytes = element_size(precision) * (elements.read + elements.written);
  return work;
}

KernelWork optimizer_work(std::int64_t parameters, int tensors, Bytes bytes_per_parameter) {
  KernelWork work;
  work.key = {KernelOp::optimizer, Precision::fp32, {parameters, tensors, whole(bytes_per_parameter.value)}};
  work.bytes = bytes_per_parameter * double(parameters);
  return work;
}

}  // namespace mlsim
