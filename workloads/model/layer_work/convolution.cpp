#include <array>
#include <utility>

#include "workloads/model/layer_work/parts.hpp"

namespace mlsim::workloads {
namespace {

ConvolutionShape convolution_shape(const Layer& layer, double batch) {
  const auto usual_extent = [](int extent, int padding, int kernel) {
    return extent + 2 * (padding - (kernel - 1) / 2);
  };
  return {whole(batch),
          layer.input.channels,
          usual_extent(layer.input.height, layer.padding.height, layer.kernel.height),
          usual_extent(layer.input.width, layer.padding.width, layer.kernel.width),
          layer.output.channels,
          layer.kernel.height,
          layer.stride.height,
          layer.kernel.width,
          layer.stride.width,
          layer.groups};
}

KernelWork plain(const Layer& layer, Pass pass, double batch, Precision precision, double biases) {
  static constexpr std::array<KernelOp, 3> ops{KernelOp::conv_forward, KernelOp::conv_input_gradient,
                                               KernelOp::conv_weight_gradient};
  const costs::Windows windows{layer.input.height,   layer.input.width,   layer.output.height, layer.output.width,
                               layer.padding.height, layer.padding.width, layer.halo,          layer.halo_columns};
  return costs::kernel_work({ops[static_cast<std::size_t>(pass)], precision, convolution_shape(layer, batch)},
                            {.count = batch, .biases = biases, .windows = windows});
}

}  // namespace

Kernels convolution_work(const Layer& layer, Pass pass, double batch, Precision precision, FusionRole) {
  const double biases = layer.bias ? layer.output.channels : 0;
  if (layer.kind == LayerKind::convolution) return {plain(layer, pass, batch, precision, biases)};
  Layer mirrored = layer;
  std::swap(mirrored.input, mirrored.output);
  mirrored.halo = mirrored.halo_columns = 0;  // it is part of what is the output now
  if (pass == Pass::weight_gradient) return {plain(mirrored, pass, batch, precision, biases)};
  const Pass exchanged = pass == Pass::forward ? Pass::input_gradient : Pass::forward;
  return {plain(mirrored, exchanged, batch, precision, biases)};
}

}  // namespace mlsim::workloads
