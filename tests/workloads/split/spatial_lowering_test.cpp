// Steps of models whose images are split: work, exchanges and their order; and statistics over groups of ranks.
#include <algorithm>
#include <set>
#include <string>

#include "catch.hpp"
#include "tests/workloads/lowering/node_named.hpp"
#include "tests/workloads/split/split_plan.hpp"
#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/split/spatial_split.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

template <class Sum, class Value>
Sum sum_over(const StepGraph& graph, Value value) {
  Sum sum{};
  for (StepVertex v = 0; v < graph.size(); ++v) sum += value(graph[v]);
  return sum;
}
double flop(const StepGraph& graph) {
  return sum_over<double>(graph, [](const StepNode& node) { return node.work->flop.value * node.repeats; });
}
int count(const StepGraph& graph, CollectiveKind kind, AxisSet axes) {
  return sum_over<int>(graph, [&](const StepNode& node) {
    return node.kind == NodeKind::collective && node.collective == kind && node.axes == axes ? 1 : 0;
  });
}

}  // namespace

TEST_CASE("half an image each: two ranks do the work of one, and what has an odd number of rows twice") {
  const Model model = load_model("resnet50");
  const StepGraph whole = lower(model, plan_of(Axis::spatial, 1, 512, 1));
  const StepGraph half = lower(split_spatial(model, 2), plan_of(Axis::spatial, 2, 256, 1));
  // By layer: FLOP of the three passes scale with the rows; 7 rows make 4 each, and every rank has the classifier.
  double expected = flop(whole);
  for (const Layer& layer : model.layers) {
    if (layer.macs() == 0) continue;
    const bool first = layer.inputs.front() < 0;  // no input gradient
    const double passes = (first ? 2 : 3) * 2.0 * double(layer.macs());
    const int rows = layer.output.height;
    expected += passes * (rows == 1 ? 1 : 2.0 * ((rows + 1) / 2) / rows - 1);
  }
  CHECK_THAT(2 * flop(half), Catch::Matchers::WithinRel(expected, 1e-9));
  CHECK(2 * flop(half) > flop(whole));
  CHECK(2 * flop(half) < 1.03 * flop(whole));
}

TEST_CASE("a batch of half an image on every core counts as one sample for two") {
  // 256 images on 512 cores: the batch is over the data ranks alone.
  const StepPlan plan = plan_of(Axis::spatial, 2, 256, 256.0 / 256);
  CHECK(plan.parallelism.ranks() == 512);
  CHECK(plan.parallelism.batch_ranks() == 256);
  const ShardedModel split = split_spatial(load_model("resnet50"), 2);
  const double whole = kept_per_sample(load_model("resnet50"), plan).value;
  CHECK(kept_per_sample(split, plan).value > whole / 2);
  CHECK(kept_per_sample(split, plan).value < 0.55 * whole);
}

TEST_CASE("halos stand before the kernels that read them, gradients before those of the backward pass") {
  const StepGraph graph = lower(split_spatial(load_model("resnet50"), 4), plan_of(Axis::spatial, 4, 8, 2));
  std::set<std::string> seen;
  const auto expect_before = [&](const std::string& exchange, const std::string& kernel, double payload) {
    for (StepVertex v = 0; v < graph.size(); ++v) {
      if (graph[v].name != exchange) continue;
      seen.insert(exchange);
      CHECK(graph[v].stream == Stream::exchange);
      CHECK(graph[v].payload.value == payload);
      CHECK(graph[v].axes == AxisSet(Axis::spatial));
      bool reaches = false;
      for (StepVertex w = v; w < graph.size(); ++w)
        reaches = reaches || (graph[w].name == kernel && follows(graph, w, v));
      CHECK(reaches);
    }
  };
  // Both sides, one row of 56 positions of 64 channels, two samples in bf16.
  expect_before("halo-exchange halo of stage1.block0.conv2", "stage1.block0.conv2 forward", 2 * 56 * 64 * 2 * 2);
  expect_before("halo-exchange gradient halo of stage1.block0.conv2", "stage1.block0.conv2 input gradient",
                2 * 56 * 64 * 2 * 2);
  CHECK(seen.size() == 2);
  CHECK(count(graph, CollectiveKind::halo_exchange, Axis::spatial) == 37);
}

TEST_CASE("gradients of split layers are summed over all ranks, those of the classifier over the data ranks") {
  const ShardedModel split = split_spatial(load_model("resnet50"), 4);
  const auto buckets = gradient_buckets(split, plan_of(Axis::spatial, 4, 8, 2));
  std::int64_t over_all = 0, over_data = 0;
  for (const auto& bucket : buckets) (bucket.axes.has(Axis::spatial) ? over_all : over_data) += bucket.parameters;
  CHECK(over_data == 2048 * 1000 + 1000);
  CHECK(over_all + over_data == load_model("resnet50").parameters());
}

TEST_CASE("a step without the axis is the step of whole images") {
  const Model model = load_model("resnet50");
  const StepGraph plain = lower(model, plan_of(Axis::spatial, 1, 8, 4));
  const StepGraph grouped = lower(distribute_normalization(model), plan_of(Axis::spatial, 1, 8, 4));
  CHECK(plain.size() == grouped.size());
}

TEST_CASE("ResNet-50 sums up statistics 106 times a step") {
  StepPlan plan = plan_of(Axis::spatial, 1, 4, 8);
  plan.parallelism[Axis::normalization] = 16;
  const StepGraph graph = lower(distribute_normalization(load_model("resnet50")), plan);
  CHECK(count(graph, CollectiveKind::all_reduce, Axis::normalization) == 106);
  const double bytes = sum_over<double>(graph, [](const StepNode& node) {
    return node.kind == NodeKind::collective && node.axes == AxisSet(Axis::normalization) ? node.payload.value : 0;
  });
  CHECK(bytes == 2 * 2 * 4 * 26560);  // two passes, two sums, fp32, channels of all 53 normalisations
}

TEST_CASE("statistics of a split image go over both axes at once, in whichever order they are asked for") {
  const Model model = load_model("ssd-resnet34");
  const ShardedModel one = distribute_normalization(split_spatial(model, 4));
  const ShardedModel other = split_spatial(distribute_normalization(model), 4);
  REQUIRE(one.exchanges.size() == other.exchanges.size());
  int shared = 0;
  for (std::size_t i = 0; i < one.exchanges.size(); ++i) {
    CHECK(one.exchanges[i].layer == other.exchanges[i].layer);
    CHECK(one.exchanges[i].axes == other.exchanges[i].axes);
    shared += one.exchanges[i].axes == (Axis::normalization | Axis::spatial);
  }
  CHECK(shared == 2 * 29);
}

TEST_CASE("frozen normalisations have no statistics") {
  CHECK(distribute_normalization(load_model("mask-rcnn")).exchanges.empty());
  CHECK(distribute_normalization(load_model("vgg16")).exchanges.empty());
}
