#include "workloads/split/spatial_split.hpp"

#include <algorithm>

namespace mlsim::workloads {
namespace {

int floor_quotient(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
int ceil_quotient(int a, int b) { return -floor_quotient(-a, b); }

struct Window {  // a pointwise layer's is a row alone
  int kernel = 1, stride = 1, padding = 0;
  bool mirrored = false;  // slides over the output: each input row gives `kernel` rows
};

Window window_of(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::convolution:
    case LayerKind::max_pool:
    case LayerKind::average_pool: return {layer.kernel.height, layer.stride.height, layer.padding.height, false};
    case LayerKind::transposed_convolution:
      return {layer.kernel.height, layer.stride.height, layer.padding.height, true};
    case LayerKind::upsample: {
      const int factor = layer.output.height / layer.input.height;
      return {factor, factor, 0, true};
    }
    default: return {};
  }
}

RowRange clipped(RowRange rows, int height) {
  const int begin = std::clamp(rows.begin, 0, height);
  return {begin, std::clamp(rows.end, begin, height)};
}

// Returns the rows under the windows `places`.
RowRange under(const Window& window, RowRange places) {
  const int first = places.begin * window.stride - window.padding;
  return {first, (places.end - 1) * window.stride - window.padding + window.kernel};
}

// Returns the windows that cover one of `rows`.
RowRange over(const Window& window, RowRange rows) {
  return {ceil_quotient(rows.begin + window.padding - window.kernel + 1, window.stride),
          floor_quotient(rows.end - 1 + window.padding, window.stride) + 1};
}

// Returns what ranks need of an image of `height` rows besides their own part of it.
template <class Needed>
Halo halo_of(int height, int ranks, const Needed& needed) {
  Halo halo;
  for (int rank = 0; rank < ranks; ++rank) {
    const RowRange own = rows_of_rank(height, ranks, rank), all = needed(rank);
    if (all.size() == 0) continue;
    halo.before = std::max(halo.before, own.begin - all.begin);
    halo.after = std::max(halo.after, all.end - own.end);
    const RowRange left = rows_of_rank(height, ranks, std::max(rank - 1, 0));
    const RowRange right = rows_of_rank(height, ranks, std::min(rank + 1, ranks - 1));
    if (all.begin < left.begin || all.end > right.end) halo.neighbours = false;
  }
  return halo;
}

constexpr double kSums = 2;  // forward of x and x^2; backward of the gradient and of its product with x

}  // namespace

RowRange rows_of_rank(int height, int ranks, int rank) {
  const int each = (height + ranks - 1) / ranks;
  return {std::min(rank * each, height), std::min((rank + 1) * each, height)};
}

RowRange rows_read(const Layer& whole, RowRange output) {
  if (output.size() == 0) return {};
  const Window window = window_of(whole);
  return clipped(window.mirrored ? over(window, output) : under(window, output), whole.input.height);
}

RowRange rows_reading(const Layer& whole, RowRange input) {
  if (input.size() == 0) return {};
  const Window window = window_of(whole);
  return clipped(window.mirrored ? under(window, input) : over(window, input), whole.output.height);
}

Halo input_halo(const Layer& whole, int ranks) {
  return halo_of(whole.input.height, ranks,
                 [&](int rank) { return rows_read(whole, rows_of_rank(whole.output.height, ranks, rank)); });
}

Halo gradient_halo(const Layer& whole, int ranks) {
  return halo_of(whole.output.height, ranks,
                 [&](int rank) { return rows_reading(whole, rows_of_rank(whole.input.height, ranks, rank)); });
}

bool has_window(const Layer& layer) {
  switch (layer.kind) {
    case LayerKind::convolution:
    case LayerKind::transposed_convolution:
    case LayerKind::max_pool:
    case LayerKind::average_pool:
    case LayerKind::upsample: return true;
    default: return false;
  }
}

int window_rows(const Layer& whole, int ranks) {
  const Window window = window_of(whole);
  if (!window.mirrored) return under(window, rows_of_rank(whole.output.height, ranks, 0)).size();
  int most = 0;
  for (int rank = 0; rank < ranks; ++rank)
    most = std::max(most, rows_read(whole, rows_of_rank(whole.output.height, ranks, rank)).size());
  return most;
}

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
