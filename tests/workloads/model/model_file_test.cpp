#include <string>
#include <utility>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a repeated block numbers its layers and differs in its first repetition") {
  const Model model = read_between(
      "  - block: a\n"
      "    repeat: 3\n"
      "    layers:\n"
      "      - {layer: convolution, name: c, channels: 4, kernel: 3, first: {stride: 2, channels: 2}}\n"
      "      - {layer: relu, name: r, only: first}\n");
  REQUIRE(model.layers.size() == 6);
  CHECK(model.layers[0].name == "a.block0.c");
  CHECK(model.layers[0].output == Shape{2, 4, 4});
  CHECK(model.layers[1].name == "a.block0.r");
  CHECK(model.layers[3].name == "a.block2.c");
  CHECK(model.layers[3].output == Shape{4, 4, 4});
}

TEST_CASE("blocks nest, and a name means the innermost layer that has it") {
  const Model model = read_between(
      "  - {layer: convolution, name: c, channels: 4, kernel: 1}\n"
      "  - block: stage\n"
      "    repeat: 2\n"
      "    layers:\n"
      "      - block: inner\n"
      "        layers:\n"
      "          - {layer: convolution, name: d, channels: 4, kernel: 1}\n"
      "          - {layer: add, name: s, shortcut: c}\n"
      "          - {layer: relu, name: c}\n"
      "          - {layer: add, name: t, shortcut: c}\n");
  CHECK(model.layers[1].name == "stage.block0.inner.d");
  CHECK(model.layers[2].inputs == std::vector<int>{1, 0});
  CHECK(model.layers[4].inputs == std::vector<int>{3, 3});
  CHECK(model.layers[6].name == "stage.block1.inner.s");
  CHECK(model.layers[6].inputs == std::vector<int>{5, 0});
}

TEST_CASE("windows default to the usual padding and stride") {
  const Model model = read_between(
      "  - {layer: convolution, name: c, channels: 4, kernel: 5}\n"
      "  - {layer: max_pool, name: p, kernel: 2}\n"
      "  - {layer: convolution, name: d, channels: 4, kernel: 3, padding: 0, bias: true}\n");
  CHECK(model.layers[0].output == Shape{4, 8, 8});
  CHECK(model.layers[1].output == Shape{4, 4, 4});
  CHECK(model.layers[2].output == Shape{4, 2, 2});
  CHECK(model.layers[0].parameters() == 4 * 3 * 25);
  CHECK(model.layers[2].parameter_tensors() == std::vector<std::int64_t>{4 * 4 * 9, 4});
  CHECK(model.layers[3].parameter_tensors() == std::vector<std::int64_t>{4 * 2, 2});
}

TEST_CASE("wrong layers are refused with their line and a way out") {
  const std::string block = "  - block: b\n    repeat: 2\n    layers:\n";
  const std::pair<std::string, std::string> rows[] = {
      {"  - {layer: convolutoin, name: c, channels: 4, kernel: 3}\n",
       "m.yaml:9: unknown layer kind \"convolutoin\"; did you mean \"convolution\"?"},
      {"  - {layer: convolution, name: c, chanels: 4, kernel: 3}\n",
       "m.yaml:9: unknown key \"chanels\"; did you mean \"channels\"?"},
      {"  - {layer: relu, name: r, stride: 2}\n", "m.yaml:9: unknown key \"stride\""},
      {"  - {layer: convolution, name: c, channels: 4}\n", "m.yaml:9: the key \"kernel\" is missing"},
      {"  - {name: c, channels: 4, kernel: 3}\n", "m.yaml:9: the key \"layer\" is missing"},
      {"  - {layer: relu}\n", "m.yaml:9: the key \"name\" is missing"},
      {"  - {layer: relu, name: a.b}\n", "m.yaml:9: \"a.b\" cannot be a name; use letters, digits, _ and -"},
      {"  - {layer: convolution, name: c, channels: 4, kernel: 3}\n"
       "  - {layer: convolution, name: d, channels: 5, kernel: 3}\n"
       "  - {layer: add, name: s, shortcut: c}\n",
       "m.yaml:11: s adds tensors of different shapes: 5 x 8 x 8 and 4 x 8 x 8"},
      {"  - {layer: convolution, name: c, channels: 4, kernel: 9, padding: 0}\n",
       "m.yaml:9: the kernel of c is larger than its input: 9 against a height of 8 with padding 0"},
      {"  - {layer: max_pool, name: p, kernel: 2, padding: 2}\n",
       "m.yaml:9: a padding of 2 does not suit a kernel of 2"},
      {"  - {layer: convolution, name: c, channels: 4, kernel: 3, stride: 0}\n",
       "m.yaml:9: 0 is below the smallest possible value, 1"},
      {"  - {layer: convolution, name: c, channels: -4, kernel: 3}\n",
       "m.yaml:9: -4 is below the smallest possible value, 1"},
      {"  - {layer: convolution, name: c, channels: 4.5, kernel: 3}\n", "m.yaml:9: \"4.5\" is not a whole number"},
      {"  - {layer: convolution, name: c, channels: 2000000000, kernel: 3}\n",
       "m.yaml:9: c is absurdly large: 2000000000 x 8 x 8 from 3 x 8 x 8 per sample"},
      {"  - {layer: convolution, name: c, channels: 4, kernel: 70000}\n",
       "m.yaml:9: a window of more than 65536 is absurdly large"},
      {"  - {layer: add, name: s, shortcut: later}\n  - {layer: relu, name: later}\n",
       "m.yaml:9: \"later\" does not come before s, a cycle or a slip of order; a layer reads only earlier layers"},
      {"  - {layer: relu, name: r, input: r}\n",
       "m.yaml:9: r reads itself, a cycle; a layer reads only earlier layers"},
      {"  - {layer: convolution, name: conv, channels: 4, kernel: 3}\n"
       "  - {layer: add, name: s, shortcut: cnov}\n",
       "m.yaml:10: unknown layer \"cnov\"; did you mean \"conv\"?"},
      {"  - {layer: relu, name: r}\n  - {layer: relu, name: r}\n", "m.yaml:10: the layer name \"r\" stands twice"},
      {"  - {layer: relu, name: r, input: block_input}\n",
       "m.yaml:9: \"block_input\" has a meaning only inside a block"},
      {"  - {layer: relu, name: r, only: first}\n", "m.yaml:9: \"only\" has a meaning only inside a block"},
      {"  - {layer: convolution, name: c, channels: 4, kernel: 3}\n  - {layer: relu, name: r, input: c}\n"
       "  - {layer: relu, name: q, input: c}\n",
       "m.yaml:10: no layer reads r"},
      {"  - block: b\n    repeat: 0\n    layers:\n      - {layer: relu, name: r}\n",
       "m.yaml:10: 0 is below the smallest possible value, 1"},
      {"  - block: b\n    repeat: 2000000000\n    layers:\n      - {layer: relu, name: r}\n",
       "m.yaml:12: the model has more than 100000 layers"},
      {"  - block: b\n    repeat: 2000000000\n    layers:\n      - {layer: relu, name: r, only: first}\n",
       "m.yaml:9: repetition 1 of b has no layers"},
      {"  - block: b\n    reapet: 2\n    layers:\n      - {layer: relu, name: r}\n",
       "unknown key \"reapet\"; did you mean \"repeat\"?"},
      {"  - block: b\n    layers: []\n", "the list of layers is empty"},
      {block + "      - {layer: relu, name: r, only: fist}\n",
       "m.yaml:12: unknown repetition \"fist\"; did you mean \"first\"?"},
      {block + "      - {layer: relu, name: r, first: {strid: 2}}\n", "m.yaml:12: unknown key \"strid\""},
      {block + "      - {layer: convolution, name: c, channels: 3, kernel: 1}\n"
               "      - {layer: relu, name: r, only: first}\n"
               "      - {layer: add, name: s, input: c, shortcut: r}\n",
       "m.yaml:14: \"r\" is no layer of repetition 1"},
  };
  for (const auto& [layers, message] : rows) {
    INFO(layers);
    CHECK_THROWS_AS(read_between(layers), InputError);
    CHECK_THROWS_WITH(read_between(layers), ContainsSubstring(message));
  }
}

TEST_CASE("a file without data, target, loss or parameters is refused") {
  const auto without = [](const std::string& key) {
    std::string text = kHead + "layers:\n" + kTail;
    const auto begin = text.find(key + ":");
    return text.erase(begin, text.find('\n', begin) + 1 - begin);
  };
  for (const std::string key : {"title", "target", "input", "dataset", "source", "sample", "family"}) {
    CHECK_THROWS_WITH(read_text(without(key)), ContainsSubstring("m.yaml:1: the key \"" + key + "\" is missing"));
  }
  CHECK_THROWS_WITH(read_text(kHead), ContainsSubstring("the key \"layers\" is missing"));
  CHECK_THROWS_WITH(
      read_text(kHead + "layers:\n  - {layer: dense, name: d, outputs: 2}\n"),
      ContainsSubstring(
          "the model has no loss; it needs a softmax_loss, a sigmoid_loss or a regression_loss (its last layer is d)"));
  CHECK_THROWS_WITH(read_text(kHead + "layers:\n  - {layer: softmax_loss, name: loss}\n"),
                    ContainsSubstring("the model has no parameters to train"));
  CHECK_THROWS_WITH(read_text("targt: x\n" + kHead + "layers:\n" + kTail),
                    ContainsSubstring("unknown key \"targt\"; did you mean \"target\"?"));
}

TEST_CASE("a network is of the sort that its file names, and else an image's") {
  const std::string layers = "layers:\n" + kTail;
  CHECK(read_text(kHead + layers).sort == NetworkSort::image);
  CHECK(read_text(kHead + "sort: speech\n" + layers).sort == NetworkSort::speech);
  CHECK_THROWS_WITH(read_text(kHead + "sort: speach\n" + layers), ContainsSubstring("did you mean \"speech\""));
  for (const std::string& name : model_names()) {
    INFO(name);
    CHECK(network_sort(name) == load_model(name).sort);
  }
  CHECK(network_sort("llama2-70b-lora") == NetworkSort::language_adapters);
  CHECK(network_sort("gpt3-175b:sequence=1024") == NetworkSort::language_model);  // like gpt2
}

TEST_CASE("how published runs of a model were made is read whole or refused") {
  const std::string layers = "layers:\n" + kTail;
  const auto read = [&](const std::string& training) {
    return read_text(kHead + "training: {" + training + "}\n" + layers).training;
  };
  CHECK(read("format: fp8, chips: [h100], source: s").formats ==
        std::map<std::string, Precision>{{"h100", Precision::fp8}});
  const auto two = read("format: fp8, chips: [h100, b200], formats: {b200: nvfp4}, source: s").formats;
  CHECK(two.at("h100") == Precision::fp8);
  CHECK(two.at("b200") == Precision::nvfp4);
  CHECK_THROWS_WITH(read("formats: {b200: nvfp5}, source: s"), ContainsSubstring("did you mean \"nvfp4\""));
  CHECK(read("software: eager, source: s").software.software == SoftwareClass::eager);
  const PublishedTraining here = read("attention: flash-1, on: {k80: {attention: unfused}}, source: s");
  CHECK(here.software.attention == AttentionKernels::flash_1);
  CHECK(here.software_on.at("k80").attention == AttentionKernels::unfused);
  CHECK_THROWS_WITH(read("on: {k80: {atention: flash}}, source: s"), ContainsSubstring("did you mean \"attention\"?"));
  CHECK_THROWS_WITH(read("format: fp9, chips: [h100], source: s"), ContainsSubstring("did you mean \"fp8\""));
  CHECK_THROWS_WITH(read("chips: [h100], source: s"), ContainsSubstring("\"format\" is missing"));
  CHECK_THROWS_WITH(read("format: fp8, source: s"), ContainsSubstring("\"chips\" is missing"));
  CHECK_THROWS_WITH(read("software: lazy, source: s"), ContainsSubstring("unknown software class \"lazy\""));
  CHECK_THROWS_WITH(read("software: eager"), ContainsSubstring("\"source\" is missing"));
}

TEST_CASE("an absurd input or data set is refused") {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kHead + "layers:\n" + kTail;
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK_THROWS_WITH(read_text(with("height: 8", "height: 100000")),
                    ContainsSubstring("m.yaml:3: 100000 is absurdly large for an input; at most 65536"));
  CHECK_THROWS_WITH(read_text(with("height: 8", "height: 0")), ContainsSubstring("m.yaml:3: 0 is below"));
  CHECK_THROWS_WITH(read_text(with("train_samples: 10", "train_samples: 0")),
                    ContainsSubstring("m.yaml:4: 0 is below"));
  CHECK_THROWS_WITH(read_text(with("provenance: assumed", "provenance: asumed")),
                    ContainsSubstring("m.yaml:5: unknown provenance \"asumed\"; did you mean \"assumed\"?"));
}
