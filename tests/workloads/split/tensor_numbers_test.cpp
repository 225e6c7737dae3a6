// A small Transformer in numbers: all ranks of a tensor axis together compute what one rank computes of the whole.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "workloads/model/model_text.hpp"
#include "workloads/split/tensor_split.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

using ChannelValues = std::vector<double>;  // a value for each channel
using Matrix = std::vector<ChannelValues>;  // a row for each position
using Ranks = std::vector<Matrix>;          // of each rank

// A number that depends on its place only, so that slices of a tensor need not be stored.
double weight(std::size_t layer, int tensor, std::int64_t row, std::int64_t column) {
  return std::sin(double(layer) * 12.9898 + tensor * 3.7 + double(row) * 78.233 + double(column) * 37.719) / 3;
}

std::int64_t token_at(int position) { return (position * 151) % 1024; }

class Execution {
 public:
  Execution(const Model& whole, const ShardedModel& part, int ranks)
      : whole_(whole), part_(part), ranks_(ranks), values_(whole.layers.size()), gathered_(whole.layers.size()) {
    for (std::size_t i = 0; i < whole.layers.size(); ++i) {
      for (int rank = 0; rank < ranks; ++rank) values_[i].push_back(computed(i, rank));
      for (const LayerExchange& each : part.exchanges) {
        if (each.layer == static_cast<int>(i) && each.moment == Moment::after_forward && each.elements_per_sample > 0)
          exchange(i, each);
      }
    }
  }

  // Of layer `name`, the parts of all ranks put together.
  Matrix result(const std::string& name) const {
    const auto found = std::find_if(whole_.layers.begin(), whole_.layers.end(),
                                    [&](const Layer& layer) { return layer.name == name; });
    const Ranks& parts = values_[found - whole_.layers.begin()];
    Matrix joined = parts.front();
    const bool tokens = joined.size() < static_cast<std::size_t>(found->output.positions());
    const bool channels = joined.front().size() < static_cast<std::size_t>(found->output.channels);
    for (std::size_t rank = 1; rank < parts.size(); ++rank) {
      if (tokens) joined.insert(joined.end(), parts[rank].begin(), parts[rank].end());
      for (std::size_t p = 0; channels && p < joined.size(); ++p)
        joined[p].insert(joined[p].end(), parts[rank][p].begin(), parts[rank][p].end());
    }
    return joined;
  }

 private:
  // What the layer reads: the shape that its part of the model states must be there.
  const Matrix& input(std::size_t layer, std::size_t which, int rank) const {
    const Layer& reader = part_.model.layers[layer];
    const Shape shape = which == 0 ? reader.input : reader.others[which - 1];
    const auto from = static_cast<std::size_t>(reader.inputs[which]);
    for (const Ranks* all : {&values_[from], &gathered_[from]}) {
      if (all->empty()) continue;
      const Matrix& matrix = (*all)[rank];
      if (std::int64_t(matrix.size()) == shape.positions() && int(matrix.front().size()) == shape.channels)
        return matrix;
    }
    FAIL(reader.name << " reads a tensor that no rank has");
    throw std::logic_error("unreachable");
  }

  Matrix computed(std::size_t i, int rank) const {
    const Layer& layer = part_.model.layers[i];
    switch (layer.kind) {
      case LayerKind::embedding: return looked_up(i, rank);
      case LayerKind::dense: return multiplied(i, rank);
      case LayerKind::attention: return attended(i, rank);
      case LayerKind::add: return added(input(i, 0, rank), input(i, 1, rank));
      default: break;
    }
    Matrix result = input(i, 0, rank);
    if (layer.kind == LayerKind::select) result.resize(layer.output.positions());
    for (ChannelValues& row : result) {
      if (layer.kind == LayerKind::layer_normalization) normalize(row);
      if (layer.kind == LayerKind::relu) {
        for (double& x : row) x = std::max(x, 0.0);
      }
    }
    return result;
  }

  static Matrix added(Matrix a, const Matrix& b) {
    for (std::size_t p = 0; p < a.size(); ++p) {
      for (std::size_t c = 0; c < a[p].size(); ++c) a[p][c] += b[p][c];
    }
    return a;
  }

  static void normalize(ChannelValues& row) {
    double mean = 0, square = 0;
    for (const double x : row) mean += x / double(row.size());
    for (const double x : row) square += (x - mean) * (x - mean) / double(row.size());
    for (double& x : row) x = (x - mean) / std::sqrt(square + 1e-5);
  }

  // A table by rows has zeros for the words of other ranks; one that works on tokens looks its own positions up.
  Matrix looked_up(std::size_t i, int rank) const {
    const Layer &layer = part_.model.layers[i], &all = whole_.layers[i];
    const std::int64_t rows = layer.rows.front(), first = rows < all.rows.front() ? rank * rows : 0;
    const bool own_tokens = rows == all.rows.front() && layer.output.height < all.output.height;
    const int offset = own_tokens ? rank * layer.output.height : 0;
    Matrix result;
    for (int p = 0; p < (own_tokens ? layer.output.height : all.output.height); ++p) {
      const std::int64_t id = layer.name == "position" ? p + offset : token_at(p + offset);
      result.emplace_back();
      for (int c = 0; c < layer.output.channels; ++c)
        result.back().push_back(id >= first && id < first + rows ? weight(i, 0, id, c) : 0);
    }
    return result;
  }

  Matrix multiplied(std::size_t i, int rank) const {
    const Layer &layer = part_.model.layers[i], &all = whole_.layers[i];
    const int in = layer.input.channels, out = layer.output.channels;
    const bool row_parallel = in < all.input.channels;
    const int first_in = row_parallel ? rank * in : 0, first_out = out < all.output.channels ? rank * out : 0;
    Matrix result;
    for (const ChannelValues& x : input(i, 0, rank)) {
      result.emplace_back();
      for (int o = 0; o < out; ++o) {
        double sum = layer.bias && (!row_parallel || rank == 0) ? weight(i, 1, first_out + o, 0) : 0;
        for (int c = 0; c < in; ++c) {
          const std::int64_t from = first_in + c, to = first_out + o;
          // A tied layer's weight is the table.
          sum += x[c] * (layer.shares >= 0 ? weight(static_cast<std::size_t>(layer.shares), 0, to, from)
                                           : weight(i, 0, from, to));
        }
        result.back().push_back(sum);
      }
    }
    return result;
  }

  Matrix attended(std::size_t i, int rank) const {
    const Layer& layer = part_.model.layers[i];
    const Matrix &queries = input(i, 0, rank), &keys = input(i, 1, rank), &values = input(i, 2, rank);
    const auto size = static_cast<std::size_t>(layer.output.channels / layer.heads);
    Matrix result(queries.size(), ChannelValues(static_cast<std::size_t>(layer.output.channels), 0));
    for (std::size_t head = 0; head < static_cast<std::size_t>(layer.heads); ++head) {
      for (std::size_t q = 0; q < queries.size(); ++q) {
        ChannelValues scores;
        double sum = 0;
        for (const ChannelValues& key : keys) {
          double dot = 0;
          for (std::size_t c = head * size; c < (head + 1) * size; ++c) dot += queries[q][c] * key[c];
          scores.push_back(std::exp(dot));
          sum += scores.back();
        }
        for (std::size_t k = 0; k < keys.size(); ++k) {
          for (std::size_t c = head * size; c < (head + 1) * size; ++c) result[q][c] += scores[k] / sum * values[k][c];
        }
      }
    }
    return result;
  }

  void exchange(std::size_t i, const LayerExchange& each) {
    Ranks& all = values_[i];
    if (each.kind == CollectiveKind::all_gather) {
      Matrix joined;
      for (const Matrix& one : all) joined.insert(joined.end(), one.begin(), one.end());
      CHECK(each.elements_per_sample == double(joined.size() * joined.front().size()));
      gathered_[i].assign(all.size(), joined);
      return;
    }
    Matrix sum = all.front();
    for (std::size_t rank = 1; rank < all.size(); ++rank) sum = added(sum, all[rank]);
    CHECK(each.elements_per_sample == double(sum.size() * sum.front().size()));
    const std::size_t part = each.kind == CollectiveKind::reduce_scatter ? sum.size() / all.size() : 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      const auto first = sum.begin() + static_cast<std::ptrdiff_t>(rank * part);
      all[rank] = part == 0 ? sum : Matrix(first, first + static_cast<std::ptrdiff_t>(part));
    }
  }

  const Model& whole_;
  const ShardedModel& part_;
  int ranks_;
  std::vector<Ranks> values_, gathered_;  // by layer
};

Model small_transformer() {
  std::string text =
      with_inputs("{tokens: {tokens: 8}, places: {tokens: 8}}",
                  "  - {layer: embedding, name: words, rows: 1024, width: 8, input: tokens}\n"
                  "  - {layer: embedding, name: position, rows: 8, width: 8, input: places}\n"
                  "  - {layer: add, name: sum, shortcut: words}\n"
                  "  - {layer: layer_normalization, name: norm1}\n"
                  "  - {layer: dense, name: queries, outputs: 16, input: norm1}\n"
                  "  - {layer: dense, name: keys, outputs: 16, input: norm1}\n"
                  "  - {layer: dense, name: values, outputs: 16, input: norm1}\n"
                  "  - {layer: attention, name: attention, heads: 4, input: queries, keys: keys, values: values}\n"
                  "  - {layer: dense, name: projection, outputs: 8}\n"
                  "  - {layer: add, name: add1, shortcut: sum}\n"
                  "  - {layer: layer_normalization, name: norm2}\n"
                  "  - {layer: dense, name: widen, outputs: 32}\n"
                  "  - {layer: relu, name: relu}\n"
                  "  - {layer: dense, name: narrow, outputs: 8}\n"
                  "  - {layer: add, name: add2, shortcut: add1}\n"
                  "  - {layer: dense, name: between, outputs: 8}\n"
                  "  - {layer: layer_normalization, name: norm3}\n"
                  "  - {layer: select, name: first, positions: 3}\n"
                  "  - {layer: dense, name: logits, outputs: 1024, shares: words}\n"
                  "  - {layer: softmax_loss, name: words_loss}\n"
                  "  - {layer: dense, name: pooler, outputs: 8, input: norm3}\n");
  return read_text(text);
}

}  // namespace

TEST_CASE("all ranks together compute what one rank computes of the whole model") {
  const Model whole = small_transformer();
  const Execution one(whole, ShardedModel(whole), 1);
  for (const int ranks : {2, 4}) {
    for (const bool sequence : {false, true}) {
      INFO(ranks << " ranks, sequence " << sequence);
      const ShardedModel part = split_tensor(whole, ranks, sequence);
      const Execution all(whole, part, ranks);
      for (const char* name : {"logits", "classifier"}) {
        const Matrix expected = one.result(name), found = all.result(name);
        REQUIRE(expected.size() == found.size());
        for (std::size_t p = 0; p < expected.size(); ++p) {
          REQUIRE(expected[p].size() == found[p].size());
          double worst = 0;
          for (std::size_t c = 0; c < expected[p].size(); ++c)
            worst = std::max(worst, std::abs(expected[p][c] - found[p][c]));
          CHECK(worst < 1e-9);
        }
      }
    }
  }
}
