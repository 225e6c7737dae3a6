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

Operator normalization(LayerKind kind, std::string_view name) {
  return {kind,
          name,
          OperatorClass::normalization,
          {"scale", "shift"},
          {},
          normalization_shape,
          normalization_tensors,
          nullptr,
          elementwise_layer_work,
          elementwise_kept};
}

}  // namespace

Operators normalization_operators() {
  return {normalization(LayerKind::batch_normalization, "batch_normalization"),
          normalization(LayerKind::layer_normalization, "layer_normalization")};
}

}  // namespace mlsim::workloads
