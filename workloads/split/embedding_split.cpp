#include "workloads/split/embedding_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/text/errors.hpp"
#include "workloads/split/shared_count.hpp"

namespace mlsim::workloads {
namespace {

class TablePlacer {
 public:
  TablePlacer(const Layer& bag, int ranks, const TablePlacement& placement)
      : bag_(bag), count_(ranks), width_(bag.output.channels), placement_(placement) {
    placed_.ranks.resize(ranks);
  }

  PlacedTables place() {
    cut();
    for (const std::int64_t rows : by_row_) place_part((rows + count_ - 1) / count_);
    std::sort(in_pieces_.begin(), in_pieces_.end(), std::greater<>());
    for (const std::int64_t rows : in_pieces_) {
      for (int piece = 0; piece < placed_.pieces; ++piece) place_piece(rows);
    }
    return std::move(placed_);
  }

 private:
  std::string question() const { return fmt::format("embedding={} over the tables of {}", count_, bag_.name); }

  void cut() {
    if (placement_.cut == TableCut::row) {
      by_row_ = bag_.rows;
      placed_.tables_by_row = static_cast<int>(by_row_.size());
      return;
    }
    in_pieces_ = bag_.rows;
    const bool columns = placement_.cut != TableCut::table;
    if (columns) placed_.pieces = pieces_for(static_cast<std::int64_t>(in_pieces_.size()));
    if (placement_.cut == TableCut::automatic && placement_.most_parameters > 0) {
      const auto fits = [&](std::int64_t rows) { return rows * width_ / placed_.pieces <= placement_.most_parameters; };
      const auto large = std::stable_partition(in_pieces_.begin(), in_pieces_.end(), fits);
      by_row_.assign(large, in_pieces_.end());
      in_pieces_.erase(large, in_pieces_.end());
      placed_.tables_by_row = static_cast<int>(by_row_.size());
      if (!in_pieces_.empty()) placed_.pieces = pieces_for(static_cast<std::int64_t>(in_pieces_.size()));
    }
    const auto whole = static_cast<std::int64_t>(in_pieces_.size());
    if (!by_row_.empty() || whole * placed_.pieces >= count_) return;
    throw Infeasible(columns ? fmt::format("{}: {} tables of {} columns leave ranks without one; embedding={} works",
                                           question(), whole, width_, whole * width_)
                             : fmt::format("{}: {} whole tables leave ranks without one; embedding={} works, or "
                                           "table_placement=column",
                                           question(), whole, whole));
  }

  // Returns the fewest equal pieces of a table that leave no rank without one, or one column each.
  int pieces_for(std::int64_t tables) const {
    for (int pieces = 1; pieces < width_; ++pieces) {
      if (width_ % pieces == 0 && tables * pieces >= count_) return pieces;
    }
    return width_;
  }

  bool has_room(const PlacedTables::Rank& rank, std::int64_t parameters) const {
    return placement_.most_parameters <= 0 || rank.parameters + parameters <= placement_.most_parameters;
  }

  // Places a table cut by rows on every rank.
  void place_part(std::int64_t rows) {
    for (auto& rank : placed_.ranks) {
      if (!has_room(rank, rows * width_)) throw no_room(rows * width_);
      rank.rows.push_back(rows);
      rank.look_ups += 1.0 / count_;
      rank.parameters += rows * width_;
    }
  }

  void place_piece(std::int64_t rows) {
    const std::int64_t parameters = rows * (width_ / placed_.pieces);
    PlacedTables::Rank* best = nullptr;
    for (auto& rank : placed_.ranks) {
      if (!has_room(rank, parameters)) continue;
      const bool better = !best || rank.look_ups < best->look_ups ||
                          (rank.look_ups == best->look_ups && rank.parameters < best->parameters);
      if (better) best = &rank;
    }
    if (!best) throw no_room(parameters);
    best->rows.push_back((rows + placed_.pieces - 1) / placed_.pieces);
    best->look_ups += 1.0 / placed_.pieces;
    best->parameters += parameters;
  }

  Infeasible no_room(std::int64_t parameters) const {
    const std::int64_t all = std::accumulate(bag_.rows.begin(), bag_.rows.end(), std::int64_t{0}) * width_;
    const std::int64_t most = placement_.most_parameters;
    const std::int64_t enough = (all + most - 1) / most;
    const std::string remedy = enough > count_ ? fmt::format("all {} need at least {} ranks", all, enough)
                                               : std::string("table_placement=row shares them evenly");
    return Infeasible(
        fmt::format("{}: no rank has room for a piece of {} parameters beside others, at most {} a rank; {}",
                    question(), parameters, most, remedy));
  }

  const Layer& bag_;
  int count_, width_;
  TablePlacement placement_;
  std::vector<std::int64_t> by_row_, in_pieces_;  // rows of tables
  PlacedTables placed_;
};

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

double PlacedTables::busiest() const {
  double most = 0;
  for (const Rank& rank : ranks) most = std::max(most, rank.look_ups);
  return most;
}

const PlacedTables::Rank& PlacedTables::fullest() const {
  return *std::max_element(ranks.begin(), ranks.end(),
                           [](const Rank& a, const Rank& b) { return a.parameters < b.parameters; });
}

PlacedTables place_tables(const Layer& bag, int ranks, const TablePlacement& placement) {
  return TablePlacer(bag, ranks, placement).place();
}

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
