#include "workloads/split/embedding_split.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/workloads/split/split_plan.hpp"
#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int kWidth = 128, kTables = 26;

Layer bag() { return load_model("dlrm").layers.front(); }

std::int64_t rows_of(const std::vector<std::int64_t>& rows) {
  return std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
}

// Elements that each rank sends when the samples of all ranks look up one row of each table: counted piece by piece.
struct CountedExchange {
  std::vector<double> sent, numbers;
};
CountedExchange count_by_hand(const PlacedTables& placed, double samples) {
  const auto ranks = static_cast<int>(placed.ranks.size());
  CountedExchange counted;
  for (const auto& rank : placed.ranks) {
    counted.sent.push_back(0);
    counted.numbers.push_back(0);
    for (std::size_t piece = static_cast<std::size_t>(placed.tables_by_row); piece < rank.rows.size(); ++piece) {
      for (int from = 0; from < ranks; ++from) {
        counted.sent.back() += samples * kWidth / placed.pieces;
        counted.numbers.back() += samples;
      }
    }
  }
  return counted;
}

}  // namespace

TEST_CASE("tables are placed whole, cut by columns or cut by rows, and none is lost") {
  const Layer tables = bag();
  const std::int64_t all = rows_of(tables.rows);
  for (const TableCut cut : {TableCut::automatic, TableCut::table, TableCut::column, TableCut::row}) {
    for (const int ranks : {2, 8, 16, 26, 64, 256}) {
      if (cut == TableCut::table && ranks > kTables) continue;
      INFO(name(cut) << " on " << ranks);
      const PlacedTables placed = place_tables(tables, ranks, {cut, 0});
      std::int64_t parameters = 0, rows = 0;
      double look_ups = 0;
      for (const auto& rank : placed.ranks) {
        CHECK_FALSE(rank.rows.empty());
        parameters += rank.parameters;
        rows += rows_of(rank.rows);
        look_ups += rank.look_ups;
      }
      CHECK(look_ups == Approx(kTables));
      const std::int64_t pieces = cut == TableCut::row ? ranks : placed.pieces;
      CHECK(rows >= all);
      CHECK(rows - all < kTables * pieces + 1);  // a part of a row for each piece
      CHECK(parameters >= all * kWidth);
      CHECK(parameters - all * kWidth <= (cut == TableCut::row ? kTables * ranks * kWidth : 0));
      CHECK(placed.pieces == (cut == TableCut::row || ranks <= kTables ? 1 : ranks == 64 ? 4 : 16));
    }
  }
}

TEST_CASE("the largest tables lie apart and no rank has many more than another") {
  const PlacedTables placed = place_tables(bag(), 8, {});
  // 26 tables on 8 ranks: 4 or 3 each; the five of 25 to 40 million rows and more on ranks of their own.
  for (const auto& rank : placed.ranks) {
    CHECK(rank.rows.size() >= 3);
    CHECK(rank.rows.size() <= 4);
    CHECK(std::count_if(rank.rows.begin(), rank.rows.end(), [](std::int64_t rows) { return rows > 20'000'000; }) <= 1);
  }
  CHECK(placed.busiest() == 4);
  CHECK(placed.fullest().rows.front() == 39979771);
}

TEST_CASE("the load of the axis is what a count over all ranks gives") {
  const double samples = 512;
  for (const int ranks : {4, 8, 16, 26, 64, 128}) {
    INFO(ranks << " ranks");
    const ShardedModel part = split_embeddings(load_model("dlrm"), ranks);
    const CountedExchange counted = count_by_hand(place_tables(bag(), ranks, {}), samples);
    const double most = *std::max_element(counted.sent.begin(), counted.sent.end());
    const double mean = std::accumulate(counted.sent.begin(), counted.sent.end(), 0.0) / ranks;
    CHECK(mean == Approx(samples * kTables * kWidth));
    CHECK(part.load.front() == Approx(most / mean));
    REQUIRE(part.exchanges.size() == 3);
    CHECK(part.exchanges[0].bytes_per_sample.value * samples ==
          Approx(8 * *std::max_element(counted.numbers.begin(), counted.numbers.end())));
    CHECK(part.exchanges[1].elements_per_sample * samples == Approx(most));
    CHECK(part.exchanges[2].elements_per_sample * samples == Approx(most));
  }
}

TEST_CASE("a step moves row numbers, rows and their gradients once each") {
  const StepGraph graph =
      lower(split_embeddings(load_model("dlrm"), 26), plan_of(Axis::embedding, 26, 1, 512, Precision::fp32));
  std::vector<std::string> forward, backward;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    if (node.stream != Stream::exchange) continue;
    CHECK(node.collective == CollectiveKind::all_to_all);
    CHECK(node.axes == AxisSet(Axis::embedding));
    (node.part == StepPart::forward ? forward : backward).push_back(node.name);
    CHECK(node.payload.value == 512.0 * kTables * (forward.size() == 1 ? 8 : kWidth * 4));
  }
  CHECK(forward == std::vector<std::string>{"all-to-all row numbers of tables", "all-to-all rows of tables"});
  CHECK(backward == std::vector<std::string>{"all-to-all gradients of rows of tables"});
}

TEST_CASE("rows come before the interaction and their gradients before the look-up's backward pass") {
  const StepGraph graph =
      lower(split_embeddings(load_model("dlrm"), 8), plan_of(Axis::embedding, 8, 1, 512, Precision::fp32));
  std::vector<std::string> order;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const std::string& name = graph[v].name;
    if (name.find("tables") != std::string::npos || name.starts_with("interaction")) order.push_back(name);
  }
  const auto place = [&](const std::string& text) {
    return std::find_if(order.begin(), order.end(), [&](const auto& name) { return name.starts_with(text); }) -
           order.begin();
  };
  CHECK(place("all-to-all row numbers") < place("tables forward"));
  CHECK(place("tables forward") < place("all-to-all rows"));
  CHECK(place("all-to-all rows") < place("interaction"));
  CHECK(place("interaction") < place("all-to-all gradients"));
  CHECK(place("all-to-all gradients") < place("tables weight gradient"));
}

TEST_CASE("gradients of tables stay on their ranks and those of the layers cross all") {
  const ShardedModel part = split_embeddings(load_model("dlrm"), 8);
  const auto alone = sparse_gradients(part, plan_of(Axis::embedding, 8, 1, 512, Precision::fp32));
  REQUIRE(alone.size() == 1);
  CHECK(alone.front().axes.empty());
  CHECK(sparse_gradients(part, plan_of(Axis::embedding, 8, 4, 512, Precision::fp32)).front().axes ==
        AxisSet(Axis::data));
  for (const auto& bucket : gradient_buckets(part, plan_of(Axis::embedding, 8, 4, 512, Precision::fp32)))
    CHECK(bucket.axes == (Axis::data | Axis::embedding));
}

TEST_CASE("the fullest rank's tables are what its memory holds") {
  const MemoryUse use =
      memory_use(split_embeddings(load_model("dlrm"), 8), plan_of(Axis::embedding, 8, 1, 512, Precision::fp32));
  const std::int64_t tables = place_tables(bag(), 8, {}).fullest().parameters;
  const std::int64_t layers = load_model("dlrm").parameters() - rows_of(bag().rows) * kWidth;
  CHECK(use.weights.value == 4.0 * double(tables + layers));
}

TEST_CASE("a table that no rank has room for is cut by rows") {
  // Room for 12 GB of fp32: four tables of 39 to 40 million rows have 20 GB, one of 26 million 13 GB.
  const PlacedTables placed = place_tables(bag(), 16, {TableCut::automatic, 3'000'000'000});
  CHECK(placed.tables_by_row == 5);
  CHECK(placed.pieces == 1);
  for (const auto& rank : placed.ranks) CHECK(rank.parameters <= 3'000'000'000);
  const ShardedModel part = split_embeddings(load_model("dlrm"), 16, {TableCut::automatic, 3'000'000'000});
  std::vector<CollectiveKind> kinds;
  for (const auto& each : part.exchanges) kinds.push_back(each.kind);
  CHECK(kinds == std::vector{CollectiveKind::all_to_all, CollectiveKind::all_to_all, CollectiveKind::all_to_all,
                             CollectiveKind::reduce_scatter, CollectiveKind::all_gather});
  CHECK(part.exchanges.back().elements_per_sample == 16 * 5 * kWidth);
  REQUIRE(part.notes.size() == 1);
  CHECK(part.notes.front().starts_with(
      "embedding: tables of \"tables\": 5 by rows, 21 whole; the busiest of 16 ranks reads "));
}

TEST_CASE("tables cut by rows have even look-ups and one reduction of partial bags") {
  const ShardedModel part = split_embeddings(load_model("dlrm"), 64, {TableCut::row, 0});
  CHECK(part.load.front() == Approx(1));
  REQUIRE(part.exchanges.size() == 3);
  CHECK(part.exchanges[1].kind == CollectiveKind::reduce_scatter);
  CHECK(part.exchanges[1].elements_per_sample == 64 * kTables * kWidth);
  CHECK(part.exchanges[2].kind == CollectiveKind::all_gather);
}

TEST_CASE("an embedding axis that does not fit is refused with a remedy") {
  const Model dlrm = load_model("dlrm");
  const auto refused = [&](int ranks, TablePlacement placement, const char* text) {
    CHECK_THROWS_AS(split_embeddings(dlrm, ranks, placement), Infeasible);
    CHECK_THROWS_WITH(split_embeddings(dlrm, ranks, placement), ContainsSubstring(text));
  };
  refused(64, {TableCut::table, 0},
          "26 whole tables leave ranks without one; embedding=26 works, or table_placement=column");
  refused(4096, {TableCut::column, 0}, "26 tables of 128 columns leave ranks without one; embedding=3328 works");
  refused(8, {TableCut::row, 1'000'000'000}, "need at least 25 ranks");
  refused(8, {TableCut::table, 4'000'000'000}, "table_placement=row shares them evenly");
  CHECK_THROWS_WITH(split_embeddings(load_model("bert-large"), 8),
                    ContainsSubstring("bert-large has no embedding bag"));
  CHECK_THROWS_AS(split_embeddings(dlrm, 0), InputError);
  CHECK(split_embeddings(dlrm, 1).exchanges.empty());
}
