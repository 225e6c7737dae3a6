#include <fmt/format.h>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

void convolution_shape(const LayerEntry& entry, Layer& layer) {
  layer.output.channels = entry.count("channels");
  layer.bias = entry.flag("bias", false);
  layer.groups = entry.count("groups", 1);
  if (layer.input.channels % layer.groups != 0 || layer.output.channels % layer.groups != 0) {
    throw entry.error(fmt::format("{} groups do not divide the {} input and {} output channels of {}", layer.groups,
                                  layer.input.channels, layer.output.channels, entry.name()));
  }
  read_window(entry, layer, false);
  slide_window(entry, layer);
}

std::int64_t kernel_elements(const Layer& layer) {
  return count_product(
      {layer.kernel.height, layer.kernel.width, layer.input.channels / layer.groups, layer.output.channels});
}

std::vector<std::int64_t> kernel_tensors(const Layer& layer) {
  std::vector<std::int64_t> tensors{kernel_elements(layer)};
  if (layer.bias) tensors.push_back(layer.output.channels);
  return tensors;
}

std::int64_t convolution_macs(const Layer& layer) {
  return count_product({kernel_elements(layer), layer.output.height, layer.output.width});
}

// Returns the output that a convolution of this kernel, stride and padding would turn into the input.
int extent_before(const LayerEntry& entry, int extent, int kernel, int stride, int padding) {
  const std::int64_t before = (std::int64_t{extent} - 1) * stride - 2 * std::int64_t{padding} + kernel;
  if (before < 1) {
    throw entry.error(fmt::format("a padding of {} leaves nothing of the output of {}", padding, entry.name()));
  }
  return checked_extent(entry, before);
}

void transposed_shape(const LayerEntry& entry, Layer& layer) {
  layer.output.channels = entry.count("channels");
  layer.bias = entry.flag("bias", false);
  read_window(entry, layer, false);
  layer.padding = entry.extent("padding", Extent{0, 0}, 0);
  const Extent kernel = layer.kernel, stride = layer.stride, padding = layer.padding;
  layer.output.height = extent_before(entry, layer.input.height, kernel.height, stride.height, padding.height);
  layer.output.width = extent_before(entry, layer.input.width, kernel.width, stride.width, padding.width);
}

std::int64_t transposed_macs(const Layer& layer) {
  return count_product({kernel_elements(layer), layer.input.height, layer.input.width});
}

}  // namespace

Operators convolution_operators() {
  return {{LayerKind::convolution,
           "convolution",
           OperatorClass::matrix_product,
           {"channels", "kernel", "stride", "padding", "bias", "groups"},
           {},
           convolution_shape,
           kernel_tensors,
           convolution_macs,
           convolution_work,
           matrix_kept},
          {LayerKind::transposed_convolution,
           "transposed_convolution",
           OperatorClass::matrix_product,
           {"channels", "kernel", "stride", "padding", "bias"},
           {},
           transposed_shape,
           kernel_tensors,
           transposed_macs,
           convolution_work,
           matrix_kept}};
}

}  // namespace mlsim::workloads
