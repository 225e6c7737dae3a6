#include <string>
#include <utility>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kTwice =
    "  - {layer: convolution, name: c, channels: 3, kernel: 3, bias: true}\n"
    "  - {layer: convolution, name: d, channels: 3, kernel: 3, bias: true, shares: c}\n";

// A language model on 5 ids, its output layer tied to its embedding of `rows` x 4.
std::string tied(const std::string& rows) {
  return with_inputs("{ids: {tokens: 5}}", "  - {layer: embedding, name: words, rows: " + rows +
                                               ", width: 4}\n"
                                               "  - {layer: dense, name: decoder, outputs: 7, shares: words}\n");
}

}  // namespace

TEST_CASE("a layer that shares owns no parameters but does its own work") {
  const Model model = read_between(kTwice);
  CHECK(model.layers[1].shares == 0);
  CHECK(model.layers[0].parameter_tensors() == std::vector<std::int64_t>{81, 3});
  CHECK(model.layers[1].parameter_tensors().empty());
  CHECK(model.layers[1].macs() == model.layers[0].macs());
  CHECK(model.parameters() == 84 + 3 * 2 + 2);
  CHECK(model.gradient_tensors() == 4);
}

TEST_CASE("an output layer tied to an embedding owns its bias only") {
  const Model model = read_text(tied("7"));
  CHECK(model.layers[1].shares == 0);
  CHECK(model.layers[1].parameter_tensors() == std::vector<std::int64_t>{7});
  CHECK(model.layers[1].macs() == 5 * 4 * 7);
  CHECK(model.parameters() == 7 * 4 + 7 + 7 * 2 + 2);
}

TEST_CASE("frozen layers and blocks have parameters without gradients") {
  const Model model = read_between(
      "  - {layer: convolution, name: a, channels: 3, kernel: 1, frozen: true}\n"
      "  - block: outer\n"
      "    frozen: true\n"
      "    layers:\n"
      "      - block: inner\n"
      "        repeat: 2\n"
      "        layers:\n"
      "          - {layer: convolution, name: b, channels: 3, kernel: 1}\n"
      "      - {layer: convolution, name: c, channels: 3, kernel: 1, frozen: false}\n"
      "  - {layer: convolution, name: d, channels: 3, kernel: 1}\n");
  const bool trainable[] = {false, false, false, true, true};
  for (std::size_t i = 0; i < 5; ++i) CHECK(model.layers[i].trainable == trainable[i]);
  CHECK(model.parameters() == 5 * 9 + 8);
  CHECK(model.trainable_parameters() == 2 * 9 + 8);
  CHECK(model.gradient_tensors() == 2 + 2);
}

TEST_CASE("parameters that cannot be shared are refused with the reason") {
  const std::pair<std::string, std::string> rows[] = {
      {"  - {layer: convolution, name: c, channels: 3, kernel: 3, shares: d}\n"
       "  - {layer: convolution, name: d, channels: 3, kernel: 3}\n",
       "m.yaml:9: \"d\" does not come before c"},
      {"  - {layer: convolution, name: c, channels: 3, kernel: 3, shares: c}\n", "m.yaml:9: c reads itself"},
      {"  - {layer: convolution, name: c, channels: 3, kernel: 3, shares: input}\n",
       "m.yaml:9: \"input\" is an input of the model and has no parameters"},
      {"  - {layer: convolution, name: conv, channels: 3, kernel: 3}\n"
       "  - {layer: convolution, name: d, channels: 3, kernel: 3, shares: cnov}\n",
       "m.yaml:10: unknown layer \"cnov\"; did you mean \"conv\"?"},
      {"  - {layer: convolution, name: c, channels: 3, kernel: 1}\n"
       "  - {layer: dense, name: d, outputs: 3, bias: false, shares: c}\n",
       "m.yaml:10: d is a dense and cannot share the parameters of c, a convolution"},
      {"  - {layer: convolution, name: c, channels: 3, kernel: 3}\n"
       "  - {layer: convolution, name: d, channels: 3, kernel: 5, shares: c}\n",
       "m.yaml:10: d has 225 parameters and cannot share those of c, 81 in other tensors"},
      {kTwice + "  - {layer: convolution, name: e, channels: 3, kernel: 3, bias: true, shares: d}\n",
       "m.yaml:11: d has no parameters of its own; name c, whose it shares"},
      {"  - {layer: convolution, name: c, channels: 3, kernel: 3, frozen: true}\n"
       "  - {layer: convolution, name: d, channels: 3, kernel: 3, shares: c}\n",
       "m.yaml:10: of d and c, which share parameters, only one is frozen"},
      {"  - {layer: relu, name: r, shares: r}\n", "m.yaml:9: unknown key \"shares\""},
      {"  - {layer: convolution, name: c, channels: 3, kernel: 3, frozen: maybe}\n",
       "m.yaml:9: unknown answer \"maybe\""},
  };
  for (const auto& [layers, message] : rows) {
    INFO(layers);
    CHECK_THROWS_AS(read_between(layers), InputError);
    CHECK_THROWS_WITH(read_between(layers), ContainsSubstring(message));
  }
  CHECK_THROWS_WITH(
      read_text(tied("8")),
      ContainsSubstring("m.yaml:10: decoder has a weight of 7 x 4 but the table of words has 8 rows of 4"));
}

TEST_CASE("a model of frozen layers has nothing to train") {
  CHECK_THROWS_WITH(read_text(kHead + "layers:\n  - {layer: dense, name: d, outputs: 2, frozen: true}\n"
                                      "  - {layer: softmax_loss, name: loss}\n"),
                    ContainsSubstring("the model has no parameters to train"));
}
