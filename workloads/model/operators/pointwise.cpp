#include <fmt/format.h>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

void add_shape(const LayerEntry& entry, Layer& layer) {
  if (layer.others[0] != layer.input) {
    throw entry.error(fmt::format("{} adds tensors of different shapes: {} and {}", entry.name(),
                                  shape_text(layer.input), shape_text(layer.others[0])));
  }
}

// A factor of one channel or of one position stands for all of them.
void multiply_shape(const LayerEntry& entry, Layer& layer) {
  const Shape factor = layer.others[0];
  const bool channels_match = factor.channels == layer.input.channels || factor.channels == 1;
  const bool positions_match =
      (factor.height == layer.input.height && factor.width == layer.input.width) || factor.positions() == 1;
  if (!channels_match || !positions_match) {
    throw entry.error(fmt::format("{} multiplies tensors of different shapes: {} and {}", entry.name(),
                                  shape_text(layer.input), shape_text(factor)));
  }
}

Operator pointwise(LayerKind kind, std::string_view name, std::vector<std::string_view> inputs = {},
                   void (*shape)(const LayerEntry&, Layer&) = same_shape) {
  return {kind,
          name,
          OperatorClass::pointwise,
          {},
          std::move(inputs),
          shape,
          nullptr,
          nullptr,
          elementwise_layer_work,
          elementwise_kept};
}

}  // namespace

Operators pointwise_operators() {
  return {pointwise(LayerKind::relu, "relu"),
          pointwise(LayerKind::gelu, "gelu"),
          pointwise(LayerKind::tanh, "tanh"),
          pointwise(LayerKind::sigmoid, "sigmoid"),
          pointwise(LayerKind::dropout, "dropout"),
          pointwise(LayerKind::add, "add", {"shortcut"}, add_shape),
          pointwise(LayerKind::multiply, "multiply", {"with"}, multiply_shape)};
}

}  // namespace mlsim::workloads
