#include <fmt/format.h>

#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

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

Operator view(LayerKind kind, std::string_view name, std::vector<std::string_view> options,
              void (*shape)(const LayerEntry&, Layer&), std::vector<std::string_view> inputs = {}) {
  return {kind,    name,    OperatorClass::view,    std::move(options), std::move(inputs), shape,
          nullptr, nullptr, elementwise_layer_work, elementwise_kept};
}

}  // namespace

Operators view_operators() {
  return {view(LayerKind::flatten, "flatten", {}, flatten_shape),
          view(LayerKind::reshape, "reshape", {"channels", "height", "width"}, reshape_shape),
          view(LayerKind::concat, "concat", {"axis"}, concat_shape, {"with"}),
          view(LayerKind::select, "select", {"positions"}, select_shape)};
}

}  // namespace mlsim::workloads
