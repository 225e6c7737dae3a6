#include "catch.hpp"
#include "workloads/model/layer_work.hpp"
#include "workloads/model/layer_work/primitive_operators.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

double total(TensorPasses passes) { return passes.read + passes.written; }

Layer layer_of(LayerKind kind, Shape input) {
  Layer layer;
  layer.kind = kind;
  layer.input = layer.output = input;
  return layer;
}

}  // namespace

TEST_CASE("elementwise layers pass over their tensor as often as the plain, leading and merged kernels do") {
  struct Row {
    LayerKind kind;
    double forward, backward, leads_forward, leads_backward;
  };
  const Row rows[] = {
      {LayerKind::batch_normalization, 3, 5, 2.5, 5},
      {LayerKind::layer_normalization, 15, 41, 3, 4},
      {LayerKind::relu, 2, 3, 2, 3},
      {LayerKind::tanh, 2, 3, 2, 3},
      {LayerKind::sigmoid, 2, 3, 2, 3},
      {LayerKind::gelu, 18, 26, 2, 3},
      {LayerKind::dropout, 10, 5, 2.5, 2.5},
      {LayerKind::add, 3, 0.5, 3, 0.5},
      {LayerKind::max_pool, 1.2, 2, 1.2, 2},
      {LayerKind::average_pool, 1.2, 2, 1.2, 2},
      {LayerKind::softmax_loss, 4, 4, 2, 3},
      {LayerKind::sigmoid_loss, 4, 4, 2, 3},
      {LayerKind::regression_loss, 4, 4, 2, 3},
  };
  for (const auto& row : rows) {
    const auto passes = [&](bool backward, FusionRole placement) {
      return total(elementwise_passes(row.kind, backward, placement, Precision::fp16));
    };
    CHECK(passes(false, FusionRole::separate) == row.forward);
    CHECK(passes(true, FusionRole::separate) == row.backward);
    CHECK(passes(false, FusionRole::leads) == row.leads_forward);
    CHECK(passes(true, FusionRole::leads) == row.leads_backward);
  }
  struct Merged {
    LayerKind kind;
    double forward, backward;
  };
  const Merged merged[] = {{LayerKind::relu, 0, 0},
                           {LayerKind::tanh, 0, 0},
                           {LayerKind::sigmoid, 0, 0},
                           {LayerKind::gelu, 1, 1.5},
                           {LayerKind::dropout, 0.5, 0.5},
                           {LayerKind::add, 1, 0},
                           {LayerKind::layer_normalization, 2, 3}};
  for (const auto& row : merged) {
    CHECK(total(elementwise_passes(row.kind, false, FusionRole::merged, Precision::fp16)) == row.forward);
    CHECK(total(elementwise_passes(row.kind, true, FusionRole::merged, Precision::fp16)) == row.backward);
  }
  CHECK_THROWS_AS(elementwise_passes(LayerKind::dense, false, FusionRole::leads, Precision::fp32), std::logic_error);
}

TEST_CASE("a dropout's mask takes a byte an element in every format") {
  const auto mask = [](Precision precision) {
    const auto passes = elementwise_passes(LayerKind::dropout, false, FusionRole::merged, precision);
    return element_size(precision).value * passes.written;
  };
  CHECK(mask(Precision::fp32) == 1);
  CHECK(mask(Precision::bf16) == 1);
}

TEST_CASE("without fusion a GELU is 8 and 10 kernels, a layer normalisation 10 and 21, a dropout 5 and 2") {
  const auto launches = [](LayerKind kind, Pass pass, FusionRole placement) {
    const Layer layer = layer_of(kind, {4, 6, 1});
    return elementwise_layer_work(layer, pass, 2, Precision::fp32, placement).at(0).launches;
  };
  CHECK(launches(LayerKind::gelu, Pass::forward, FusionRole::separate) == 8);
  CHECK(launches(LayerKind::gelu, Pass::input_gradient, FusionRole::separate) == 10);
  CHECK(launches(LayerKind::layer_normalization, Pass::forward, FusionRole::separate) == 10);
  CHECK(launches(LayerKind::layer_normalization, Pass::input_gradient, FusionRole::separate) == 21);
  CHECK(launches(LayerKind::dropout, Pass::forward, FusionRole::separate) == 5);
  CHECK(launches(LayerKind::dropout, Pass::input_gradient, FusionRole::separate) == 2);
  for (const auto kind : {LayerKind::gelu, LayerKind::layer_normalization, LayerKind::dropout})
    CHECK(launches(kind, Pass::forward, FusionRole::leads) == 1);
}

TEST_CASE("without fusion a GELU of a 16-bit step runs in fp32 between two casts") {
  const Layer layer = layer_of(LayerKind::gelu, {4, 6, 1});
  const auto work = elementwise_layer_work(layer, Pass::forward, 2, Precision::fp16, FusionRole::separate).at(0);
  CHECK(work.key.precision == Precision::fp32);
  CHECK(work.launches == 8 + 2);
  CHECK(work.bytes.value == 48 * (18 * 4 + 2 * (4 + 2)));
}

TEST_CASE("operands of different size are counted by their sizes") {
  Layer multiply = layer_of(LayerKind::multiply, {6, 4, 4});
  multiply.others = {{6, 1, 1}};
  const auto moved = [](const Layer& layer, bool backward, FusionRole placement) {
    return total(elementwise_elements(layer, backward, placement, Precision::fp32));
  };
  CHECK(moved(multiply, false, FusionRole::separate) == 96 + 6 + 96);
  CHECK(moved(multiply, true, FusionRole::separate) == (96 + 96 + 6) + (96 + 6));
  CHECK(moved(multiply, false, FusionRole::merged) == 6);
  CHECK(moved(multiply, true, FusionRole::merged) == 96 + 6 + 6);

  Layer concat = layer_of(LayerKind::concat, {2, 4, 4});
  concat.output = {5, 4, 4};
  CHECK(moved(concat, false, FusionRole::separate) == 2 * 80);
  CHECK(moved(concat, true, FusionRole::separate) == 2 * 80);
  CHECK(moved(concat, false, FusionRole::leads) == 0);

  Layer select = layer_of(LayerKind::select, {8, 10, 1});
  select.output = {8, 3, 1};
  CHECK(moved(select, false, FusionRole::separate) == 24 + 24);
  CHECK(moved(select, true, FusionRole::separate) == 24 + 80);  // zeros where nothing was selected

  Layer upsample = layer_of(LayerKind::upsample, {2, 3, 3});
  upsample.output = {2, 6, 6};
  CHECK(moved(upsample, false, FusionRole::separate) == 18 + 72);
  CHECK(moved(upsample, true, FusionRole::separate) == 72 + 18);
}

TEST_CASE("views have no kernel at all") {
  for (const auto kind : {LayerKind::flatten, LayerKind::reshape}) {
    const Layer layer = layer_of(kind, {4, 2, 2});
    for (const auto placement : {FusionRole::separate, FusionRole::leads, FusionRole::merged}) {
      CHECK(elementwise_layer_work(layer, Pass::forward, 2, Precision::fp32, placement).empty());
      CHECK(elementwise_layer_work(layer, Pass::input_gradient, 2, Precision::fp32, placement).empty());
    }
  }
}

TEST_CASE("a merged layer adds its bytes to the kernel that hosts it, and its elements to the key") {
  const Layer layer = layer_of(LayerKind::gelu, {8, 5, 1});
  const auto gelu = elementwise_layer_work(layer, Pass::forward, 3, Precision::bf16, FusionRole::merged).at(0);
  KernelWork host = costs::elementwise_work({7, 9}, Precision::bf16);
  costs::merge(host, gelu);
  CHECK(host.bytes.value == 2 * (7 + 9) + 2 * 120);
  CHECK(to_text(host.key) == "elementwise bf16 7 129");
  CHECK(host.launches == 1);
}
