
#include <algorithm>

#include "workloads/split/spatial_split.hpp"

namespace mlsim::workloads {
namespace {

constexpr double kSums = 2;  // forward of x and x^2; backward of the gradient and of its product with x

}  // namespace

bool has_statistics(const Layer& layer) { return layer.kind == LayerKind::batch_normalization && layer.trainable; }

void share_statistics(ShardedModel& sharded, int layer, AxisSet axes) {
  bool there = false;
  for (LayerExchange& each : sharded.exchanges) {
    if (each.layer != layer || each.kind != CollectiveKind::all_reduce) continue;
    each.axes = each.axes | axes;
    there = true;
  }
  if (there) return;
  const Layer& normalization = sharded.model.layers[layer];
  const Bytes sums(4 * kSums * normalization.input.channels);  // fp32
  for (const Moment moment : {Moment::before_forward, Moment::before_backward}) {
    sharded.exchanges.push_back(
        {layer, moment, CollectiveKind::all_reduce, axes, 0, sums, "statistics of " + normalization.name});
  }
}

void sort_exchanges(ShardedModel& sharded) {
  std::stable_sort(sharded.exchanges.begin(), sharded.exchanges.end(),
                   [](const LayerExchange& a, const LayerExchange& b) { return a.layer < b.layer; });
}

ShardedModel distribute_normalization(ShardedModel sharded) {
  for (std::size_t i = 0; i < sharded.model.layers.size(); ++i) {
    if (has_statistics(sharded.model.layers[i])) share_statistics(sharded, static_cast<int>(i), Axis::normalization);
  }
  sort_exchanges(sharded);
  return sharded;
}

}  // namespace mlsim::workloads
