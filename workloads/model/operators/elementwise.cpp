#include <fmt/format.h>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

void normalization_shape(const LayerEntry& entry, Layer& layer) {
  layer.scale = entry.flag("scale", true);
  layer.shift = entry.flag("shift", true);
}

std::vector<std::int64_t> normalization_tensors(const Layer& layer) {
  return std::vector<std::int64_t>(std::size_t{layer.scale} + std::size_t{layer.shift}, layer.input.channels);
}

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

void pool_shape(const LayerEntry& entry, Layer& layer) {
  read_window(entry, layer, true);
  slide_window(entry, layer);
}

void upsample_shape(const LayerEntry& entry, Layer& layer) {
  const std::int64_t factor = entry.count("factor");
  layer.output.height = checked_extent(entry, layer.input.height * factor);
  layer.output.width = checked_extent(entry, layer.input.width * factor);
}

void flatten_shape(const LayerEntry& entry, Layer& layer) {
  layer.output = {checked_extent(entry, layer.input.elements()), 1, 1};
}

void reshape_shape(const LayerEntry& entry, Layer& layer) {
  layer.output = {entry.count("channels"), entry.count("height", 1), entry.count("width", 1)};
  if (count_product({layer.output.channels, layer.output.height, layer.output.width}) != layer.input.elements()) {
    throw entry.error(fmt::format("{} cannot turn {} into {}: {} elements", entry.name(), shape_text(layer.input),
                                  shape_text(layer.output), layer.input.elements()));
  }
}

void concat_shape(const LayerEntry& entry, Layer& layer) {
  const auto axis = entry.option("axis");
  const bool positions = axis && axis->word("axis", {"channels", "positions"}) == "positions";
  std::int64_t sum = positions ? layer.input.positions() : layer.input.channels;
  for (const auto& other : layer.others) {
    const bool fits = positions ? other.channels == layer.input.channels
                                : other.height == layer.input.height && other.width == layer.input.width;
    if (!fits) {
      throw entry.error(fmt::format("{} joins {} of different {}: {} and {}", entry.name(),
                                    positions ? "positions" : "channels", positions ? "channels" : "extents",
                                    shape_text(layer.input), shape_text(other)));
    }
    sum += positions ? other.positions() : other.channels;
  }
  const int joined = checked_extent(entry, sum);
  layer.output =
      positions ? Shape{layer.input.channels, joined, 1} : Shape{joined, layer.input.height, layer.input.width};
}

void select_shape(const LayerEntry& entry, Layer& layer) {
  const int positions = entry.count("positions");
  if (positions > layer.input.positions()) {
    throw entry.error(fmt::format("{} selects {} of {} positions", entry.name(), positions, layer.input.positions()));
  }
  layer.output = {layer.input.channels, positions, 1};
}

using Names = std::vector<std::string_view>;

Operator elementwise(OperatorClass of, LayerKind kind, std::string_view name, Names options, Names inputs,
                     void (*shape)(const LayerEntry&, Layer&),
                     std::vector<std::int64_t> (*tensors)(const Layer&) = nullptr) {
  return {kind,  name,    of,      std::move(options),     std::move(inputs),
          shape, tensors, nullptr, elementwise_layer_work, elementwise_kept};
}

Operator normalization(LayerKind kind, std::string_view name) {
  return elementwise(OperatorClass::normalization, kind, name, {"scale", "shift"}, {}, normalization_shape,
                     normalization_tensors);
}

Operator pointwise(LayerKind kind, std::string_view name, Names inputs = {},
                   void (*shape)(const LayerEntry&, Layer&) = same_shape) {
  return elementwise(OperatorClass::pointwise, kind, name, {}, std::move(inputs), shape);
}

Operator pooling(LayerKind kind, std::string_view name, Names options, void (*shape)(const LayerEntry&, Layer&)) {
  return elementwise(OperatorClass::pooling, kind, name, std::move(options), {}, shape);
}

Operator view(LayerKind kind, std::string_view name, Names options, void (*shape)(const LayerEntry&, Layer&),
              Names inputs = {}) {
  return elementwise(OperatorClass::view, kind, name, std::move(options), std::move(inputs), shape);
}

Operator loss(LayerKind kind, std::string_view name) {
  return elementwise(OperatorClass::loss, kind, name, {}, {}, same_shape);
}

}  // namespace

Operators elementwise_operators() {
  return {normalization(LayerKind::batch_normalization, "batch_normalization"),
          normalization(LayerKind::layer_normalization, "layer_normalization"),
          pointwise(LayerKind::relu, "relu"),
          pointwise(LayerKind::gelu, "gelu"),
          pointwise(LayerKind::tanh, "tanh"),
          pointwise(LayerKind::sigmoid, "sigmoid"),
          pointwise(LayerKind::dropout, "dropout"),
          pointwise(LayerKind::add, "add", {"shortcut"}, add_shape),
          pointwise(LayerKind::multiply, "multiply", {"with"}, multiply_shape),
          pooling(LayerKind::max_pool, "max_pool", {"kernel", "stride", "padding"}, pool_shape),
          pooling(LayerKind::average_pool, "average_pool", {"kernel", "stride", "padding"}, pool_shape),
          pooling(LayerKind::upsample, "upsample", {"factor"}, upsample_shape),
          view(LayerKind::flatten, "flatten", {}, flatten_shape),
          view(LayerKind::reshape, "reshape", {"channels", "height", "width"}, reshape_shape),
          view(LayerKind::concat, "concat", {"axis"}, concat_shape, {"with"}),
          view(LayerKind::select, "select", {"positions"}, select_shape),
          loss(LayerKind::softmax_loss, "softmax_loss"),
          loss(LayerKind::sigmoid_loss, "sigmoid_loss"),
          loss(LayerKind::regression_loss, "regression_loss")};
}

}  // namespace mlsim::workloads
