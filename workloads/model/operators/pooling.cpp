#include "workloads/model/layer_work.hpp"
#include "workloads/model/operators/operator_family.hpp"
#include "workloads/model/operators/shape_rule.hpp"

namespace mlsim::workloads {
namespace {

void pool_shape(const LayerEntry& entry, Layer& layer) {
  read_window(entry, layer, true);
  slide_window(entry, layer);
}

void upsample_shape(const LayerEntry& entry, Layer& layer) {
  const std::int64_t factor = entry.count("factor");
  layer.output.height = checked_extent(entry, layer.input.height * factor);
  layer.output.width = checked_extent(entry, layer.input.width * factor);
}

Operator pooling(LayerKind kind, std::string_view name, std::vector<std::string_view> options,
                 void (*shape)(const LayerEntry&, Layer&)) {
  return {kind,    name,    OperatorClass::pooling, std::move(options), {}, shape,
          nullptr, nullptr, elementwise_layer_work, elementwise_kept};
}

}  // namespace

Operators pooling_operators() {
  return {pooling(LayerKind::max_pool, "max_pool", {"kernel", "stride", "padding"}, pool_shape),
          pooling(LayerKind::average_pool, "average_pool", {"kernel", "stride", "padding"}, pool_shape),
          pooling(LayerKind::upsample, "upsample", {"factor"}, upsample_shape)};
}

}  // namespace mlsim::workloads
