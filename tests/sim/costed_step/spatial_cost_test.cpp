// What is left of the gain of spatial partitioning when the parts no longer fill whole tiles of a matrix unit.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "costs/kernel_time.hpp"
#include "sim/kernel_cost/done_work.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "workloads/model/layer_work.hpp"
#include "workloads/split/spatial_split.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

KernelWork forward_of(const Model& model, const std::string& name) {
  const auto layer =
      std::find_if(model.layers.begin(), model.layers.end(), [&](const Layer& each) { return each.name == name; });
  REQUIRE(layer != model.layers.end());
  return convolution_work(*layer, Pass::forward, 1, Precision::bf16, FusionRole::leads).front();
}
double padded(const KernelWork& work) { return padded_flop(work, Precision::bf16).value; }

struct Sums {
  double plain = 0, padded = 0;
};
Sums sums_of(const Model& model) {
  Sums sums;
  for (const Layer& layer : model.layers) {
    if (layer.kind != LayerKind::convolution) continue;
    for (const Pass pass : {Pass::forward, Pass::input_gradient, Pass::weight_gradient}) {
      const auto work = convolution_work(layer, pass, 1, Precision::bf16, FusionRole::leads).front();
      sums.plain += work.flop.value;
      sums.padded += padded(work);
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("a part of an image that fills less than a tile costs a tile") {
  const Model whole = load_model("ssd-resnet34");
  const Model part = split_spatial(whole, 4).model;
  // 100 positions, then 3 rows of 10, both one tile of 128 rows: the split saves FLOP but no time.
  const KernelWork all = forward_of(whole, "extra2.conv2"), own = forward_of(part, "extra2.conv2");
  CHECK(own.gemm.m == 30);
  CHECK(own.flop.value == 0.3 * all.flop.value);
  CHECK(padded(own) == padded(all));
  // 1444 positions are 12 tiles, 380 are 3.
  CHECK(padded(forward_of(part, "stage3.block1.conv1")) * 4 == padded(forward_of(whole, "stage3.block1.conv1")));
}

TEST_CASE("an input gradient is made for a rank's own rows") {
  const Model part = split_spatial(load_model("ssd-resnet34"), 4).model;
  const auto layer = std::find_if(part.layers.begin(), part.layers.end(),
                                  [](const Layer& each) { return each.name == "stage3.block1.conv1"; });
  CHECK(layer->input.height == 12);  // 10 rows and a halo of one each side
  CHECK(convolution_work(*layer, Pass::input_gradient, 2, Precision::bf16, FusionRole::leads).front().gemm.m ==
        2 * 10 * 38);
}

TEST_CASE("padding takes some of the gain of spatial partitioning, the more ranks the more") {
  const Model whole = load_model("ssd-resnet34");
  const Sums one = sums_of(whole);
  double before = 1;
  for (const int ranks : {2, 4, 8}) {
    const Sums part = sums_of(split_spatial(whole, ranks).model);
    const double kept = (one.padded / part.padded) / (one.plain / part.plain);
    CHECK(kept < before);
    before = kept;
  }
  CHECK(before < 0.8);
}
