#include "workloads/kernel_group.hpp"

#include <string>

#include "catch.hpp"
#include "workloads/model_reader.hpp"

using namespace mlsim;

namespace {

Model read_layers(const std::string& layers) {
  const std::string text =
      "title: Small\ntarget: none\ninput: {channels: 4, height: 8, width: 8}\n"
      "dataset: {name: toy, train_samples: 10, validation_samples: 0}\n"
      "source: {provenance: assumed, source: test}\nlayers:\n" +
      layers +
      "  - {layer: dense, name: classifier, outputs: 2}\n"
      "  - {layer: softmax_loss, name: loss}\n";
  return read_model(Document::parse(text, "m.yaml"), "m");
}

std::vector<std::vector<int>> layers_of(const Model& model, bool fusion) {
  std::vector<std::vector<int>> all;
  for (const auto& group : kernel_groups(model, fusion)) all.push_back(group.layers);
  return all;
}

}  // namespace

TEST_CASE("a ReLU merges into the convolution before it, and not without fusion") {
  const Model model = read_layers(
      "  - {layer: convolution, name: c, channels: 4, kernel: 3}\n"
      "  - {layer: relu, name: r}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0, 1}, {2}, {3}});
  CHECK(layers_of(model, false) == std::vector<std::vector<int>>{{0}, {1}, {2}, {3}});
}

TEST_CASE("an addition and its ReLU merge into the normalisation that comes last") {
  const Model model = read_layers(
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
  const Model model = read_layers(
      "  - {layer: batch_normalization, name: bn}\n"
      "  - {layer: relu, name: r}\n"
      "  - {layer: add, name: s, input: r, shortcut: bn}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0}, {1, 2}, {3}, {4}});
}

TEST_CASE("an addition does not merge into a convolution") {
  const Model model = read_layers(
      "  - {layer: batch_normalization, name: bn}\n"
      "  - {layer: convolution, name: c, channels: 4, kernel: 1}\n"
      "  - {layer: add, name: s, input: c, shortcut: bn}\n");
  CHECK(layers_of(model, true) == std::vector<std::vector<int>>{{0}, {1}, {2}, {3}, {4}});
}

TEST_CASE("ResNet-50 has 175 operators and 110 fused kernels in its forward pass") {
  const Model model = load_model("resnet50");
  // 53 convolutions, 53 normalisations, 49 ReLU, 16 additions, 2 pools, dense layer, loss.
  CHECK(kernel_groups(model, false).size() == 175);
  CHECK(kernel_groups(model, true).size() == 175 - 49 - 16);
}
