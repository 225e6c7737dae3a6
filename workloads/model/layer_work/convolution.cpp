#include <algorithm>
#include <array>
#include <utility>

#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

// Rows (or columns) of the input that at least one window covers.
std::int64_t covered(int extent, int windows, int kernel, int stride, int padding) {
  std::int64_t count = 0;
  int end = 0;  // end of what earlier windows cover
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
  if (pass == Pass::input_gradient) return double(layer.input.elements());
  const auto rows =
      covered(layer.input.height, layer.output.height, layer.kernel.height, layer.stride.height, layer.padding.height);
  const auto columns =
      covered(layer.input.width, layer.output.width, layer.kernel.width, layer.stride.width, layer.padding.width);
  return double(layer.input.channels) * double(rows) * double(columns);
}

KernelKey key_of(const Layer& layer, Pass pass, double batch, Precision precision) {
  static constexpr std::array<KernelOp, 3> ops{KernelOp::conv_forward, KernelOp::conv_input_gradient,
                                               KernelOp::conv_weight_gradient};
  const auto usual_extent = [](int extent, int padding, int kernel) {
    return extent + 2 * (padding - (kernel - 1) / 2);
  };
  KernelKey key{ops[static_cast<std::size_t>(pass)], precision, {}};
  key.dims = {whole(batch),
              layer.input.channels,
              usual_extent(layer.input.height, layer.padding.height, layer.kernel.height),
              usual_extent(layer.input.width, layer.padding.width, layer.kernel.width),
              layer.output.channels,
              layer.kernel.height,
              layer.stride.height,
              unless(layer.kernel.height, layer.kernel.width),
              unless(layer.stride.height, layer.stride.width),
              unless(1, layer.groups)};
  return key;
}

GemmShape gemm_of(const Layer& layer, Pass pass, double batch) {
  const double taps = double(layer.kernel.height) * layer.kernel.width;
  const double inputs = double(layer.input.channels) / layer.groups;
  const double outputs = double(layer.output.channels) / layer.groups;
  const double input_pixels = batch * (layer.input.height - layer.halo) * double(layer.input.width);
  const double output_pixels = batch * double(layer.output.positions());
  const double strides = double(layer.stride.height) * layer.stride.width;
  if (pass == Pass::forward) return {output_pixels, outputs, inputs * taps};
  if (pass == Pass::input_gradient) return {input_pixels / strides, inputs, outputs * taps};
  return {inputs * taps, outputs, output_pixels};
}

bool fast_in_fp32(const Layer& layer) {
  const Extent square{layer.kernel.height, layer.kernel.height};
  return layer.kernel == square && (square.height == 3 || square.height == 5) && layer.stride == Extent{1, 1} &&
         layer.input.channels > 3 && layer.groups == 1;
}

KernelWork plain(const Layer& layer, Pass pass, double batch, Precision precision, double biases) {
  const double group_inputs = double(layer.input.channels) / layer.groups;
  const double taps = group_inputs * layer.kernel.height * layer.kernel.width;
  const double weights = taps * layer.output.channels + biases;
  KernelWork work;
  work.key = key_of(layer, pass, batch, precision);
  work.flop = Flop(2.0 * batch * taps * double(layer.output.elements()));
  const double per_sample = input_elements(layer, pass) + double(layer.output.elements());
  work.bytes = element_size(precision) * (batch * per_sample + weights);
  const bool depthwise = layer.groups > 1 && layer.groups == layer.input.channels;
  if (!depthwise) {
    work.gemm = gemm_of(layer, pass, batch);
    work.products = layer.groups;
  }
  work.fast_fp32_convolution = fast_in_fp32(layer);
  return work;
}

}  // namespace

Kernels convolution_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole) {
  const double biases = layer.bias ? layer.output.channels : 0;
  if (layer.kind == LayerKind::convolution) return {plain(layer, pass, batch, precision, biases)};
  Layer mirrored = layer;
  std::swap(mirrored.input, mirrored.output);
  mirrored.halo = 0;  // it is part of what is the output now
  if (pass == Pass::weight_gradient) return {plain(mirrored, pass, batch, precision, biases)};
  const Pass exchanged = pass == Pass::forward ? Pass::input_gradient : Pass::forward;
  return {plain(mirrored, exchanged, batch, precision, biases)};
}

}  // namespace mlsim::workloads
