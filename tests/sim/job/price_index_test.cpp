#include "sim/job/asked_price.hpp"

#include <vector>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// N nodes at one price each, S times as fast as one.
double node_index(int nodes, double speedup) {
  return price_index({Seconds(100 / speedup), nodes * usd_per_hour(0.5592)}, {Seconds(100), usd_per_hour(0.5592)})
      .value();
}

}  // namespace

TEST_CASE("two machines at twice the price that are twice as fast cost the same and are worth it") {
  const PriceIndex index = price_index({Seconds(50), usd_per_hour(2)}, {Seconds(100), usd_per_hour(1)});
  CHECK(index.price_increase == Approx(1));
  CHECK(index.performance_increase == Approx(2));
  CHECK(index.value() == Approx(0.5));
  CHECK(price_index({Seconds(100), usd_per_hour(2)}, {Seconds(100), usd_per_hour(1)}).value() == Approx(2));
}

TEST_CASE("the labels that MLBench prints follow from the speedups that it prints") {
  struct Row {
    int nodes;
    double speedup, label;
  };
  // mlbench/mlbench-docs, images/results, tasks 4a (NCCL), 2a (Gloo) and 2a (MPI): speedup and price index.
  const std::vector<Row> rows{{1, 1, 1},       {2, 1.64, 0.74}, {4, 2.56, 0.61}, {8, 3.36, 0.71},   {16, 4.03, 0.99},
                              {2, 0.66, 4.57}, {4, 0.98, 4.18}, {8, 1.29, 4.82}, {16, 1.09, 13.44}, {32, 0.49, 132.25},
                              {2, 0.82, 3.0},  {4, 1.15, 3.02}, {8, 2.35, 1.44}, {16, 2.01, 3.95},  {32, 1.29, 19.21}};
  for (const auto& row : rows) {
    INFO(row.nodes << " nodes, speedup " << row.speedup);
    CHECK(node_index(row.nodes, row.speedup) == Approx(row.label).epsilon(0.02));
  }
}
