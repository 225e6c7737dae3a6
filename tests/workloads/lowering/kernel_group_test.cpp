#include "workloads/lowering/kernel_group.hpp"

#include <string>

#include "catch.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// A sequence of vectors of 4, classified at each position behind `layers`.
Model read_sequence(const std::string& layers) {
  return read_text(with_inputs("{x: {features: 4, tokens: 6}}", layers));
}

std::vector<std::vector<int>> layers_of(const Model& model, bool fusion) {
  std::vector<std::vector<int>> all;
  for (const auto& group : kernel_groups(model, fusion)) all.push_back(group.layers);
  return all;
}

}  // namespace

TEST_CASE("a ReLU merges into the convolution before it, and not without fusion") {
  const Model model = read_between(
      "  - {layer: convolution, name: c, channels: 4, kernel: 3}\n"
      "  - {layer: relu, name: r}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0, 1}, {2}, {3}});
  CHECK(layers_of(model, false) == std::vector<std::vector<int>>{{0}, {1}, {2}, {3}});
}

TEST_CASE("an addition and its ReLU merge into the normalisation that comes last") {
  const Model model = read_between(
      "  - {layer: convolution, name: c, channels: 4, kernel: 3}\n"
      "  - {layer: batch_normalization, name: bn}\n"
      "  - {layer: convolution, name: p, input: c, channels: 4, kernel: 1}\n"
      "  - {layer: batch_normalization, name: pbn}\n"
      "  - {layer: add, name: s, input: bn, shortcut: pbn}\n"
      "  - {layer: relu, name: r}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0}, {1}, {2}, {3, 4, 5}, {6}, {7}});
  CHECK(group_of_layer(kernel_groups(model, true)) == std::vector<int>{0, 1, 2, 3, 3, 3, 4, 5});
}

TEST_CASE("a result with two readers keeps its kernel") {
  const Model model = read_between(
      "  - {layer: batch_normalization, name: bn}\n"
      "  - {layer: relu, name: r}\n"
      "  - {layer: add, name: s, input: r, shortcut: bn}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0}, {1, 2}, {3}, {4}});
}

TEST_CASE("an addition does not merge into a convolution") {
  const Model model = read_between(
      "  - {layer: batch_normalization, name: bn}\n"
      "  - {layer: convolution, name: c, channels: 3, kernel: 1}\n"
      "  - {layer: add, name: s, input: c, shortcut: bn}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0}, {1}, {2}, {3}, {4}});
}

TEST_CASE("a GELU and a dropout merge into the product before them, a sum into the normalisation behind it") {
  const Model model = read_sequence(
      "  - {layer: dense, name: a, outputs: 4}\n"
      "  - {layer: gelu, name: g}\n"
      "  - {layer: dense, name: b, outputs: 4}\n"
      "  - {layer: dropout, name: d}\n"
      "  - {layer: add, name: s, shortcut: g}\n"
      "  - {layer: layer_normalization, name: ln}\n"
      "  - {layer: dropout, name: e}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0, 1}, {2, 3}, {4, 5, 6}, {7}, {8}});
}

TEST_CASE("a layer normalisation behind a product or a batch normalisation leads a kernel of its own") {
  const Model model = read_sequence(
      "  - {layer: dense, name: a, outputs: 4}\n"
      "  - {layer: layer_normalization, name: ln}\n"
      "  - {layer: relu, name: r}\n"
      "  - {layer: batch_normalization, name: bn}\n"
      "  - {layer: layer_normalization, name: ln2}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0}, {1, 2}, {3}, {4}, {5}, {6}});
}

TEST_CASE("a reshape between a product and an activation keeps them in one kernel") {
  const Model model = read_sequence(
      "  - {layer: dense, name: a, outputs: 4}\n"
      "  - {layer: reshape, name: v, channels: 8, height: 3}\n"
      "  - {layer: gelu, name: g}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0, 1, 2}, {3}, {4}});
}

TEST_CASE("nothing merges into a look-up or an LSTM") {
  const Model model = read_text(with_inputs("{ids: {tokens: 6}}",
                                            "  - {layer: embedding, name: words, rows: 9, width: 4}\n"
                                            "  - {layer: dropout, name: d}\n"
                                            "  - {layer: lstm, name: l, hidden: 4}\n"
                                            "  - {layer: dropout, name: e}\n"));
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0}, {1}, {2}, {3}, {4}, {5}});
}

TEST_CASE("ResNet-50 has 175 operators and 110 fused kernels in its forward pass") {
  const Model model = load_model("resnet50");
  // 53 convolutions, 53 normalisations, 49 ReLU, 16 additions, 2 pools, dense layer, loss.
  CHECK(kernel_groups(model, false).size() == 175);
  CHECK(kernel_groups(model, true).size() == 175 - 49 - 16);
}
