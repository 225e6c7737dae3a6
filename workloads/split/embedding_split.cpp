#include "workloads/split/embedding_split.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"
#include "workloads/split/shared_count.hpp"

namespace mlsim::workloads {
namespace {

class BagSplit {
 public:
  BagSplit(ShardedModel& sharded, std::size_t layer, const PlacedTables& placed)
      : sharded_(sharded),
        index_(layer),
        bag_(sharded.model.layers[layer]),
        placed_(placed),
        ranks_(double(placed.ranks.size())) {}

  void apply() {
    add_exchanges();
    const double tables = double(bag_.rows.size());
    const double load = placed_.busiest() * ranks_ / tables;
    sharded_.load[index_] *= load;
    sharded_.gradient_axes[index_] = sharded_.gradient_axes[index_].without(Axis::embedding);
    sharded_.notes.push_back(fmt::format("embedding: {}; the busiest of {} ranks reads {:.3g} times the mean",
                                         cut_text(), placed_.ranks.size(), load));
    bag_.exchanged = true;
    if (bag_.shares < 0) bag_.rows = placed_.fullest().rows;
  }

 private:
  // Writes "tables of "bag": 5 by rows, 21 whole".
  std::string cut_text() const {
    const auto others = static_cast<int>(bag_.rows.size()) - placed_.tables_by_row;
    const std::string pieces = placed_.pieces == 1 ? fmt::format("{} whole", others)
                                                   : fmt::format("{} in {} pieces by columns", others, placed_.pieces);
    if (placed_.tables_by_row == 0) return fmt::format("tables of \"{}\": {}", bag_.name, pieces);
    return fmt::format("tables of \"{}\": {} by rows, {}", bag_.name, placed_.tables_by_row, pieces);
  }

  // Payloads count a sample of the rank's own: what it sends to all ranks or what it receives from them, whichever is
  // larger on the busiest.
  void add_exchanges() {
    const double by_row = placed_.tables_by_row, whole = double(bag_.rows.size()) - by_row;
    const double width = bag_.output.channels;
    const double pooled = double(bag_.look_ups()) / double(bag_.rows.size());  // of the mean table
    if (whole > 0) {
      std::size_t most_pieces = 0;
      for (const auto& rank : placed_.ranks) most_pieces = std::max(most_pieces, rank.rows.size());
      const double numbers = std::max(whole * placed_.pieces, ranks_ * (double(most_pieces) - by_row)) + by_row;
      const double rows = std::max(whole, ranks_ * placed_.busiest() - by_row) * width;
      add(Moment::before_forward, CollectiveKind::all_to_all, 0, "row numbers");
      sharded_.exchanges.back().bytes_per_sample = kRowNumber * (numbers * pooled);
      add(Moment::after_forward, CollectiveKind::all_to_all, rows, "rows");
      add(Moment::before_backward, CollectiveKind::all_to_all, rows, "gradients of rows");
    } else {
      add(Moment::before_forward, CollectiveKind::all_to_all, 0, "row numbers");
      sharded_.exchanges.back().bytes_per_sample = kRowNumber * (by_row * pooled);
    }
    if (by_row == 0) return;
    add(Moment::after_forward, CollectiveKind::reduce_scatter, ranks_ * by_row * width, "partial bags");
    add(Moment::before_backward, CollectiveKind::all_gather, ranks_ * by_row * width, "gradients of bags");
  }

  void add(Moment moment, CollectiveKind kind, double elements, const char* what) {
    sharded_.exchanges.push_back({static_cast<int>(index_), moment, kind, Axis::embedding, elements, Bytes(0),
                                  fmt::format("{} of {}", what, bag_.name)});
  }

  ShardedModel& sharded_;
  std::size_t index_;
  Layer& bag_;
  const PlacedTables& placed_;
  double ranks_;
};

}  // namespace

ShardedModel split_embeddings(ShardedModel sharded, int ranks, const TablePlacement& placement) {
  check_axis(Axis::embedding, ranks);
  if (ranks == 1) return sharded;
  bool found = false;
  for (std::size_t i = 0; i < sharded.model.layers.size(); ++i) {
    const Layer& layer = sharded.model.layers[i];
    if (layer.kind != LayerKind::embedding_bag) continue;
    found = true;
    const PlacedTables placed = place_tables(layer, ranks, placement);
    BagSplit(sharded, i, placed).apply();
  }
  if (!found)
    throw Infeasible(
        fmt::format("embedding={0}: {1} has no embedding bag; leave out embedding={0}", ranks, sharded.model.name));
  std::stable_sort(sharded.exchanges.begin(), sharded.exchanges.end(),
                   [](const auto& a, const auto& b) { return a.layer < b.layer; });
  return sharded;
}

}  // namespace mlsim::workloads
