// Rows that ranks need of each other, against index sets row by row and against sums that ranks make of what they have.
#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "catch.hpp"
#include "workloads/split/spatial_split.hpp"

namespace mlsim::test {
namespace {

Layer layer_of(LayerKind kind, int height, int kernel, int stride, int padding) {
  Layer layer;
  layer.kind = kind;
  layer.kernel = {kernel, 1};
  layer.stride = {stride, 1};
  layer.padding = {padding, 0};
  layer.input = {1, height, 1};
  layer.output = layer.input;
  if (kind == LayerKind::convolution) layer.output.height = (height + 2 * padding - kernel) / stride + 1;
  if (kind == LayerKind::transposed_convolution) layer.output.height = (height - 1) * stride - 2 * padding + kernel;
  if (kind == LayerKind::upsample) layer.output.height = height * stride;
  return layer;
}

// The tap by which an output row takes an input row, or -1: the definition of each operator.
int tap(const Layer& layer, int output, int input) {
  const int kernel = layer.kernel.height, stride = layer.stride.height, padding = layer.padding.height;
  int at = output == input ? 0 : -1;
  if (layer.kind == LayerKind::convolution) at = input - (output * stride - padding);
  if (layer.kind == LayerKind::transposed_convolution) at = output - (input * stride - padding);
  if (layer.kind == LayerKind::upsample) at = output / stride == input ? 0 : -1;
  const int taps = layer.kind == LayerKind::convolution || layer.kind == LayerKind::transposed_convolution ? kernel : 1;
  return at >= 0 && at < taps ? at : -1;
}

std::vector<Layer> all_layers() {
  std::vector<Layer> layers;
  for (const int height : {3, 5, 7, 10, 16, 19, 38}) {
    for (int kernel = 1; kernel <= 7; ++kernel) {
      for (int stride = 1; stride <= 3; ++stride) {
        for (int padding = 0; padding < kernel && padding < 4; ++padding) {
          if (kernel <= height + 2 * padding)
            layers.push_back(layer_of(LayerKind::convolution, height, kernel, stride, padding));
          if ((height - 1) * stride - 2 * padding + kernel > 0)
            layers.push_back(layer_of(LayerKind::transposed_convolution, height, kernel, stride, padding));
        }
      }
    }
    for (const int factor : {1, 2, 3}) layers.push_back(layer_of(LayerKind::upsample, height, 1, factor, 0));
    layers.push_back(layer_of(LayerKind::relu, height, 1, 1, 0));
  }
  return layers;
}

std::set<int> rows_of_sets(const Layer& layer, RowRange range, bool forward) {
  std::set<int> rows;
  for (int o = 0; o < layer.output.height; ++o) {
    for (int i = 0; i < layer.input.height; ++i) {
      const int own = forward ? o : i;
      if (own >= range.begin && own < range.end && tap(layer, o, i) >= 0) rows.insert(forward ? i : o);
    }
  }
  return rows;
}

RowRange range_of(const std::set<int>& rows) {
  return rows.empty() ? RowRange{} : RowRange{*rows.begin(), *rows.rbegin() + 1};
}

RowRange without_place(RowRange rows) { return rows.size() == 0 ? RowRange{} : rows; }

// What a rank knows of a tensor: its own rows and as many of its neighbours as the halo says.
RowRange known(int height, int ranks, int rank, Halo halo) {
  const RowRange own = rows_of_rank(height, ranks, rank);
  if (!halo.neighbours) return {0, height};
  return {std::max(0, own.begin - halo.before), std::min(height, own.end + halo.after)};
}

// Sums over the rows that are known, and the same over all rows; rows outside are missing.
bool sums_agree(const Layer& layer, int ranks, bool forward) {
  const Halo halo = forward ? input_halo(layer, ranks) : gradient_halo(layer, ranks);
  const int results = forward ? layer.output.height : layer.input.height;
  const int sources = forward ? layer.input.height : layer.output.height;
  for (int rank = 0; rank < ranks; ++rank) {
    const RowRange own = rows_of_rank(results, ranks, rank), at_hand = known(sources, ranks, rank, halo);
    for (int r = own.begin; r < own.end; ++r) {
      std::int64_t all = 0, local = 0;
      for (int s = 0; s < sources; ++s) {
        const int at = forward ? tap(layer, r, s) : tap(layer, s, r);
        const std::int64_t product = at < 0 ? 0 : std::int64_t{3 + 5 * at} * (7 + s * s);
        all += product;
        if (s >= at_hand.begin && s < at_hand.end) local += product;
      }
      if (all != local) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("each row belongs to one rank, and the first rank has the most") {
  for (int height = 1; height <= 40; ++height) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      int next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const RowRange rows = rows_of_rank(height, ranks, rank);
        REQUIRE(rows.begin == next);
        REQUIRE(rows.size() <= rows_of_rank(height, ranks, 0).size());
        next = rows.end;
      }
      REQUIRE(next == height);
    }
  }
  // The maps of SSD on 4 ranks.
  std::vector<int> most;
  for (const int height : {38, 19, 10, 5, 3, 1}) most.push_back(rows_of_rank(height, 4, 0).size());
  CHECK(most == std::vector<int>{10, 5, 3, 2, 1, 1});
}

TEST_CASE("rows that windows read are those of the index sets") {
  for (const Layer& layer : all_layers()) {
    for (const int ranks : {1, 2, 3, 4, 8}) {
      for (int rank = 0; rank < ranks; ++rank) {
        const RowRange out = rows_of_rank(layer.output.height, ranks, rank);
        const RowRange in = rows_of_rank(layer.input.height, ranks, rank);
        const std::set<int> reads = rows_of_sets(layer, out, true), readers = rows_of_sets(layer, in, false);
        INFO("height " << layer.input.height << " kernel " << layer.kernel.height << " stride " << layer.stride.height
                       << " padding " << layer.padding.height << " kind " << static_cast<int>(layer.kind));
        REQUIRE(without_place(rows_read(layer, out)) == range_of(reads));
        REQUIRE(without_place(rows_reading(layer, in)) == range_of(readers));
      }
    }
  }
}

TEST_CASE("with its halo a rank makes its rows as the whole image does") {
  int with_halo = 0, gathered = 0;
  for (const Layer& layer : all_layers()) {
    for (const int ranks : {2, 3, 4, 8}) {
      INFO("height " << layer.input.height << " kernel " << layer.kernel.height << " stride " << layer.stride.height
                     << " padding " << layer.padding.height << " kind " << static_cast<int>(layer.kind));
      REQUIRE(sums_agree(layer, ranks, true));
      REQUIRE(sums_agree(layer, ranks, false));
      with_halo += input_halo(layer, ranks).rows() > 0;
      gathered += !input_halo(layer, ranks).neighbours;
    }
  }
  CHECK(with_halo > 500);
  CHECK(gathered > 50);
}

TEST_CASE("a row less than the halo is not enough") {
  for (const Layer& layer : all_layers()) {
    for (const int ranks : {2, 4}) {
      const Halo halo = input_halo(layer, ranks);
      if (!halo.neighbours || halo.rows() == 0) continue;
      std::set<int> before, after;
      for (int rank = 0; rank < ranks; ++rank) {
        const RowRange own = rows_of_rank(layer.input.height, ranks, rank);
        const auto reads = rows_of_sets(layer, rows_of_rank(layer.output.height, ranks, rank), true);
        for (const int row : reads) {
          if (row < own.begin) before.insert(own.begin - row);
          if (row >= own.end) after.insert(row - own.end + 1);
        }
      }
      REQUIRE(halo.before == (before.empty() ? 0 : *before.rbegin()));
      REQUIRE(halo.after == (after.empty() ? 0 : *after.rbegin()));
    }
  }
}

TEST_CASE("the halo of the usual convolutions") {
  const auto halo = [](int height, int kernel, int stride, int ranks) {
    const Halo found = input_halo(layer_of(LayerKind::convolution, height, kernel, stride, (kernel - 1) / 2), ranks);
    return std::vector<int>{found.before, found.after};
  };
  CHECK(halo(56, 1, 1, 4) == std::vector<int>{0, 0});
  CHECK(halo(56, 3, 1, 4) == std::vector<int>{1, 1});  // (k - 1) / 2 a side
  CHECK(halo(56, 5, 1, 4) == std::vector<int>{2, 2});
  CHECK(halo(56, 3, 2, 4) == std::vector<int>{1, 0});  // a stride of 2 skips the row behind
  CHECK(halo(224, 7, 2, 4) == std::vector<int>{3, 2});
  CHECK(halo(19, 3, 2, 4) == std::vector<int>{0, 3});  // 19 rows in fives make 10 rows in threes: off by some rows
}

}  // namespace mlsim::test
