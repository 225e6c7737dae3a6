// Dense, expert, recurrent, attention and look-up layers against loops over every element.
#include <set>
#include <tuple>

#include "catch.hpp"
#include "workloads/model/layer_work.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

const Pass kPasses[] = {Pass::forward, Pass::input_gradient, Pass::weight_gradient};

Layer layer_of(LayerKind kind, Shape input, Shape output) {
  Layer layer;
  layer.kind = kind;
  layer.input = input;
  layer.output = output;
  return layer;
}

double flop(const Kernels& kernels) {
  double sum = 0;
  for (const auto& work : kernels) sum += work.flop.value;
  return sum;
}

// 2 m n k of all products, which must say the same as the FLOP.
double product_flop(const Kernels& kernels) {
  double sum = 0;
  for (const auto& work : kernels) sum += 2 * work.gemm.m * work.gemm.n * work.gemm.k * work.products;
  return sum;
}

double elements(const KernelWork& work) { return work.bytes.value / element_size(work.key.precision).value; }

// What `products` products of m x k with k x n touch and multiply, one by one.
struct CountedSequence {
  double macs = 0, touched = 0;
};
CountedSequence count_products(int products, int m, int n, int k) {
  CountedSequence counted;
  std::set<std::tuple<int, int, int, int>> touched;
  for (int p = 0; p < products; ++p) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        touched.insert({2, p, i, j});
        for (int l = 0; l < k; ++l) {
          touched.insert({0, p, i, l});
          touched.insert({1, p, l, j});
          ++counted.macs;
        }
      }
    }
  }
  counted.touched = double(touched.size());
  return counted;
}

}  // namespace

TEST_CASE("a dense layer on a sequence multiplies and touches what its loops do, in every pass") {
  const Layer layer = layer_of(LayerKind::dense, {6, 5, 1}, {4, 5, 1});
  const CountedSequence counted = count_products(1, 2 * 5, 4, 6);
  for (const Pass pass : kPasses) {
    const auto kernels = dense_work(layer, pass, 2, Precision::fp32, FusionRole::leads);
    REQUIRE(kernels.size() == 1);
    CHECK(kernels[0].flop.value == 2 * counted.macs);
    CHECK(product_flop(kernels) == 2 * counted.macs);
    CHECK(elements(kernels[0]) == counted.touched);
  }
}

TEST_CASE("without fusion the bias of a sequence is a kernel, that of a vector is not") {
  Layer sequence = layer_of(LayerKind::dense, {6, 5, 1}, {4, 5, 1});
  sequence.bias = true;
  const auto forward = dense_work(sequence, Pass::forward, 2, Precision::fp32, FusionRole::separate);
  REQUIRE(forward.size() == 2);
  CHECK(elements(forward[1]) == 2 * (2 * 5 * 4));
  CHECK(dense_work(sequence, Pass::input_gradient, 2, Precision::fp32, FusionRole::separate).size() == 1);
  CHECK(elements(dense_work(sequence, Pass::weight_gradient, 2, Precision::fp32, FusionRole::separate).at(1)) ==
        40 + 4);
  CHECK(dense_work(sequence, Pass::forward, 2, Precision::fp32, FusionRole::leads).size() == 1);
  Layer vector = layer_of(LayerKind::dense, {6, 1, 1}, {4, 1, 1});
  vector.bias = true;
  CHECK(dense_work(vector, Pass::forward, 2, Precision::fp32, FusionRole::separate).size() == 1);
}

TEST_CASE("every expert is a product of its own on its even share of the positions") {
  Layer layer = layer_of(LayerKind::expert_dense, {6, 8, 1}, {4, 8, 1});
  layer.experts = 4;
  layer.chosen = 2;
  const CountedSequence counted = count_products(4, 3 * 8 * 2 / 4, 4, 6);
  for (const Pass pass : kPasses) {
    const auto kernels = dense_work(layer, pass, 3, Precision::fp32, FusionRole::leads);
    CHECK(flop(kernels) == 2 * counted.macs);
    CHECK(product_flop(kernels) == 2 * counted.macs);
    CHECK(elements(kernels.at(0)) == counted.touched);
    CHECK(kernels[0].products == 4);
  }
  CHECK(to_text(dense_work(layer, Pass::forward, 3, Precision::fp32, FusionRole::leads)[0].key) ==
        "dense_forward fp32 12 6 4 4");
}

TEST_CASE("an LSTM multiplies four gates of inputs and hidden vector at every step and direction") {
  for (const int directions : {1, 2}) {
    Layer layer = layer_of(LayerKind::lstm, {6, 5, 1}, {3 * directions, 5, 1});
    layer.directions = directions;
    double macs = 0;
    for (int sample = 0; sample < 2; ++sample) {
      for (int direction = 0; direction < directions; ++direction) {
        for (int step = 0; step < 5; ++step) {
          for (int gate = 0; gate < 4 * 3; ++gate) macs += 6 + 3;
        }
      }
    }
    for (const Pass pass : kPasses) {
      const auto kernels = lstm_work(layer, pass, 2, Precision::fp32, FusionRole::leads);
      CHECK(flop(kernels) == 2 * macs);
      CHECK(product_flop(kernels) == 2 * macs);
      CHECK(kernels.size() == 2 * static_cast<std::size_t>(directions));
    }
  }
}

TEST_CASE("an LSTM's recurrence launches a kernel a step, which reads the recurrent weights again") {
  const Layer layer = layer_of(LayerKind::lstm, {6, 5, 1}, {3, 5, 1});
  const auto forward = lstm_work(layer, Pass::forward, 2, Precision::fp32, FusionRole::leads);
  CHECK(forward[0].launches == 1);
  CHECK(forward[1].launches == 5);
  // Per step the weights 4 h h, and of every sample: gates and their input share, cell in and out, hidden in and out.
  CHECK(elements(forward[1]) == 5 * (4 * 3 * 3 + 2 * (4 + 4 + 2 + 2) * 3));
  CHECK(to_text(forward[1].key) == "lstm_forward fp32 2 3 5");
  const auto backward = lstm_work(layer, Pass::input_gradient, 2, Precision::fp32, FusionRole::leads);
  CHECK(backward[0].launches == 5);
  CHECK(backward[0].gemm == GemmShape{2, 3, 12});
}

TEST_CASE("attention multiplies queries with keys and weights with values, head by head") {
  Layer layer = layer_of(LayerKind::attention, {8, 5, 1}, {12, 5, 1});
  layer.others = {{8, 7, 1}, {12, 7, 1}};
  layer.heads = 4;
  const int products = 3 * 4;  // batch x heads
  const CountedSequence scores = count_products(products, 5, 7, 2), values = count_products(products, 5, 3, 7);
  const auto forward = attention_work(layer, Pass::forward, 3, Precision::fp32, FusionRole::leads);
  REQUIRE(forward.size() == 3);
  CHECK(flop(forward) == 2 * (scores.macs + values.macs));
  CHECK(elements(forward[0]) == scores.touched);
  CHECK(elements(forward[2]) == values.touched);
  // Softmax, mask and dropout in one kernel: scores in, softmax and weights out, a byte an element of mask.
  CHECK(elements(forward[1]) == 3 * 4 * 5 * 7 * 3.25);
  const auto backward = attention_work(layer, Pass::input_gradient, 3, Precision::fp32, FusionRole::leads);
  CHECK(flop(backward) == 2 * flop(forward));
  CHECK(product_flop(backward) == flop(backward));
  CHECK(attention_work(layer, Pass::weight_gradient, 3, Precision::fp32, FusionRole::leads).empty());
}

TEST_CASE("attention without fusion copies heads together and softens scores in eight kernels") {
  Layer layer = layer_of(LayerKind::attention, {8, 5, 1}, {8, 5, 1});
  layer.others = {{8, 5, 1}, {8, 5, 1}};
  layer.heads = 2;
  const auto forward = attention_work(layer, Pass::forward, 1, Precision::fp32, FusionRole::separate);
  REQUIRE(forward.size() == 4);
  CHECK(elements(forward[0]) == 2 * 4 * 40);
  CHECK(forward[0].launches == 4);
  CHECK(elements(forward[2]) == 18 * 2 * 25);
  CHECK(forward[2].launches == 8);
}

TEST_CASE("additive attention without fusion writes the tanh of every pair of query and key, with fusion never") {
  Layer layer = layer_of(LayerKind::additive_attention, {8, 5, 1}, {6, 5, 1});
  layer.others = {{8, 7, 1}, {6, 7, 1}};
  const auto fused = attention_work(layer, Pass::forward, 2, Precision::fp32, FusionRole::leads);
  const auto plain = attention_work(layer, Pass::forward, 2, Precision::fp32, FusionRole::separate);
  CHECK(elements(fused[0]) == 2 * (8 * (5 + 7) + 5 * 7));
  CHECK(elements(plain[0]) - elements(fused[0]) == 8 * (2 * 8 * 5 * 7));  // eight passes over all pairs
  CHECK(plain[0].launches == 5);
  const CountedSequence values = count_products(2, 5, 6, 7);
  CHECK(flop(fused) == 2 * values.macs);
  CHECK(flop(attention_work(layer, Pass::input_gradient, 2, Precision::fp32, FusionRole::leads)) == 4 * values.macs);
}

TEST_CASE("a dot interaction multiplies all rows with one another") {
  Layer layer = layer_of(LayerKind::dot_interaction, {4, 1, 1}, {4 + 6, 1, 1});
  layer.others = {{4, 3, 1}};
  const CountedSequence square = count_products(2, 4, 4, 4);
  CHECK(flop(attention_work(layer, Pass::forward, 2, Precision::fp32, FusionRole::leads)) == 2 * square.macs);
  CHECK(flop(attention_work(layer, Pass::input_gradient, 2, Precision::fp32, FusionRole::leads)) == 2 * square.macs);
}

TEST_CASE("a look-up moves whole rows: once in, once out, and a dense gradient the table as well") {
  Layer layer = layer_of(LayerKind::embedding, {1, 10, 1}, {16, 10, 1});
  layer.rows = {1000};
  const auto bytes = [&](Pass pass) {
    return look_up_work(layer, pass, 3, Precision::fp32, FusionRole::leads).at(0).bytes;
  };
  CHECK(bytes(Pass::forward).value == 30 * (64 + 64 + 4));
  CHECK(bytes(Pass::weight_gradient).value == 30 * (64 + 2 * 64 + 4) + 1000 * 64);
  CHECK(look_up_work(layer, Pass::input_gradient, 3, Precision::fp32, FusionRole::leads).empty());
  layer.sparse = true;
  CHECK(bytes(Pass::weight_gradient).value == 30 * (64 + 64 + 4));
  layer.output.channels = 2;  // 8 bytes of a sector of 32
  CHECK(bytes(Pass::forward).value == 30 * (32 + 8 + 4));
}

TEST_CASE("rows that are pooled are read each and written once, and each has a gradient") {
  Layer layer = layer_of(LayerKind::embedding_bag, {1, 5, 1}, {16, 2, 1});
  layer.rows = {1000, 50};
  layer.pooled = {4, 1};
  layer.sparse = true;
  const auto bytes = [&](Pass pass) {
    return look_up_work(layer, pass, 3, Precision::fp32, FusionRole::leads).at(0).bytes;
  };
  CHECK(layer.look_ups() == 5);
  CHECK(bytes(Pass::forward).value == 15 * (64 + 4) + 6 * 64);
  CHECK(bytes(Pass::weight_gradient).value == 15 * (64 + 64 + 4));
}

TEST_CASE("roi_align reads its map once, and clears and adds to the map's gradient") {
  Layer layer = layer_of(LayerKind::roi_align, {4, 10, 10}, {4 * 9, 5, 1});
  const auto moved = [&](Pass pass) {
    return elements(look_up_work(layer, pass, 2, Precision::fp32, FusionRole::leads).at(0));
  };
  CHECK(moved(Pass::forward) == 2 * (400 + 180));
  CHECK(moved(Pass::input_gradient) == 2 * (3 * 400 + 180));
  CHECK(to_text(look_up_work(layer, Pass::forward, 2, Precision::fp32, FusionRole::leads)[0].key) ==
        "roi_align_forward fp32 2 45 4 100");
}
