// Images shared out by rows and columns, against rows alone and against counts by hand.
#include <cmath>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/workloads/layer_named.hpp"
#include "workloads/lowering/kernel_group.hpp"
#include "workloads/split/spatial_split.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

double macs_of_grid(const ShardedModel& sharded) {
  double sum = 0;
  for (const Layer& layer : sharded.model.layers) sum += static_cast<double>(layer.macs());
  return sum;
}

double elements_along(const ShardedModel& sharded, CollectiveKind kind, Axis axis) {
  double sum = 0;
  for (const LayerExchange& each : sharded.exchanges)
    if (each.kind == kind && each.axes == AxisSet(axis)) sum += each.elements_per_sample;
  return sum;
}

}  // namespace

TEST_CASE("a square image is shared out by columns as by rows") {
  const Model model = load_model("resnet50");
  const ShardedModel rows = split_spatial(model, 4), columns = split_spatial(model, 1, 4);
  CHECK(macs_of_grid(columns) == macs_of_grid(rows));
  REQUIRE(columns.exchanges.size() == rows.exchanges.size());
  CHECK(elements_along(columns, CollectiveKind::halo_exchange, Axis::columns) ==
        elements_along(rows, CollectiveKind::halo_exchange, Axis::spatial));
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    CHECK(columns.model.layers[i].output.height == rows.model.layers[i].output.width);
    CHECK(columns.model.layers[i].halo_columns == rows.model.layers[i].halo);
  }
}

TEST_CASE("2 x 2 ranks have a quarter of each image, and half a side of each halo") {
  const Model model = load_model("ssd-resnet34");
  const ShardedModel grid = split_spatial(model, 2, 2), two = split_spatial(model, 2);
  const Layer& whole = layer_named(model, "stem.conv");
  const Layer& part = layer_named(grid.model, "stem.conv");
  CHECK(part.output.height == whole.output.height / 2);
  CHECK(part.output.width == whole.output.width / 2);
  CHECK(macs_of_grid(grid) < 0.6 * macs_of_grid(two));
  const auto halo_of = [](const ShardedModel& sharded, Axis axis) {
    for (const LayerExchange& each : sharded.exchanges)
      if (each.what == "halo of stem.conv" && each.axes == AxisSet(axis)) return each.elements_per_sample;
    return 0.0;
  };
  // 3 channels, a kernel of 7 with stride 2: three columns at most from one side, sent both ways, of half the rows.
  CHECK(halo_of(grid, Axis::columns) == halo_of(two, Axis::spatial) / 2);
  // The rows are exchanged with the five columns that the other side's windows read: 155 for 150.
  CHECK(halo_of(grid, Axis::spatial) == halo_of(two, Axis::spatial) / 2 * 155 / 150);
}

TEST_CASE("statistics and gradients are summed over rows and columns together") {
  const ShardedModel grid = split_spatial(load_model("resnet50"), 2, 2);
  int shared = 0;
  for (const LayerExchange& each : grid.exchanges)
    shared += each.fixed > Bytes(0) && each.axes == (Axis::spatial | Axis::columns);
  CHECK(shared == 2 * 53);  // of each batch normalisation, forward and backward
  CHECK(grid.gradient_axes.front().has(Axis::columns));
}

TEST_CASE("columns are not for regions, nor more of them than there are") {
  CHECK_THROWS_WITH(split_spatial(load_model("mask-rcnn"), 2, 2), ContainsSubstring("spatial=4 does"));
  CHECK_THROWS_WITH(split_spatial(load_model("resnet50"), 2, 512), ContainsSubstring("too few for spatial=2x512"));
}
