#include <string>
#include <utility>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// The parameters stand on line 8, the layers start on line 10.
std::string with_parameters(const std::string& parameters, const std::string& layers) {
  return kHead + "parameters: {" + parameters + "}\nlayers:\n" + layers + kTail;
}

const std::string kBlocks =
    "  - block: b\n"
    "    repeat: blocks\n"
    "    layers:\n"
    "      - {layer: convolution, name: c, channels: 2 * width, kernel: \"width - 1\"}\n";

}  // namespace

TEST_CASE("counts are expressions of the file's parameters, which a caller may override") {
  const std::string text = with_parameters("width: 4, blocks: 2", kBlocks);
  const Model model = read_text(text);
  CHECK(model.layers.size() == 4);
  CHECK(model.layers[1].output == Shape{8, 8, 8});
  CHECK(model.layers[1].kernel == Extent{3, 3});
  CHECK(model.parameters_of_file == std::map<std::string, std::int64_t>{{"blocks", 2}, {"width", 4}});
  const Model other = read_text(text, {{"blocks", 5}});
  CHECK(other.layers.size() == 7);
  CHECK(other.parameters_of_file.at("blocks") == 5);
  CHECK(other.parameters_of_file.at("width") == 4);
}

TEST_CASE("a parameter may follow from those above it, also after an override") {
  const std::string text = with_parameters("width: 4, blocks: width / 2", kBlocks);
  CHECK(read_text(text).layers.size() == 4);
  CHECK(read_text(text, {{"width", 6}}).layers.size() == 5);
  CHECK(read_text(text, {{"blocks", 7}}).layers.size() == 9);
  CHECK_THROWS_WITH(read_text(text, {{"width", 7}}),
                    ContainsSubstring("m.yaml:8: \"width / 2\" does not divide: 7 / 2 leaves 1"));
  CHECK_THROWS_WITH(read_text(with_parameters("blocks: width, width: 4", kBlocks)),
                    ContainsSubstring("m.yaml:8: \"width\" is not a whole number"));
}

TEST_CASE("a pattern says what each repetition has, and a group has no name of its own") {
  const std::string layers =
      "  - block: b\n"
      "    repeat: blocks\n"
      "    layers:\n"
      "      - when: pattern == 'W'\n"
      "        layers:\n"
      "          - {layer: convolution, name: wide, channels: width, kernel: 3}\n"
      "      - {layer: convolution, name: narrow, channels: 2, kernel: 1, when: pattern != 'W'}\n";
  const std::string text = with_parameters("width: 4, blocks: 5", layers);
  const auto named = [](const Model& model) {
    std::string all;
    for (const Layer& layer : model.layers) all += layer.name + " ";
    return all;
  };
  CHECK(named(read_text("pattern: W*\n" + text)) ==
        "b.block0.wide b.block1.narrow b.block2.wide b.block3.narrow b.block4.wide classifier loss ");
  CHECK(named(read_text(text)).starts_with("b.block0.narrow b.block1.narrow"));
  CHECK_THROWS_WITH(read_text("pattern: " + std::string(1001, 'W') + "\n" + text),
                    ContainsSubstring("a pattern has 1 to 1000 letters"));
  std::string open = text;
  open.replace(open.find("== 'W'"), 6, "== 'W");
  CHECK_THROWS_WITH(read_text(open), ContainsSubstring("a quote in \"pattern == 'W\" does not hold one character"));
}

TEST_CASE("title and sample name the values of parameters") {
  std::string text = with_parameters("width: 4, blocks: 2", kBlocks);
  text.replace(text.find("sample: image"), 13, "sample: \"image of {width} by {blocks}\"");
  CHECK(read_text(text, {{"width", 6}}).sample == "image of 6 by 2");
  text.replace(text.find("{width}"), 7, "{widht}");
  CHECK_THROWS_WITH(read_text(text),
                    ContainsSubstring("m.yaml:6: unknown parameter \"widht\"; did you mean \"width\"?"));
}

TEST_CASE("wrong parameters are refused with their line and a way out") {
  const std::pair<std::string, std::string> rows[] = {
      {with_parameters("width: 4, blocks: 2, depth: 3", kBlocks),
       "m.yaml:8: no count of the file uses the parameter \"depth\""},
      {with_parameters("widht: 4, blocks: 2", kBlocks),
       "m.yaml:13: unknown parameter \"width\"; did you mean \"widht\"?"},
      {kHead + "layers:\n" + kBlocks + kTail, "m.yaml:10: \"blocks\" is not a whole number"},
      {with_parameters("width: 4, blocks: 0", kBlocks), "m.yaml:11: 0 is below the smallest possible value, 1"},
      {with_parameters("width: 4, blocks: -1", kBlocks), "m.yaml:8: -1 is below the smallest possible value, 0"},
      {with_parameters("width: 4, blocks: many", kBlocks), "m.yaml:8: unknown parameter \"many\"; known: width"},
      {with_parameters("width: 4, block-s: 2", kBlocks),
       "m.yaml:8: \"block-s\" cannot be a parameter; use letters, digits and _"},
      {with_parameters("width: 4, blocks: 4000000000", kBlocks),
       "m.yaml:11: 4000000000 is too large; at most 2147483647"},
  };
  for (const auto& [text, message] : rows) {
    INFO(text);
    CHECK_THROWS_AS(read_text(text), InputError);
    CHECK_THROWS_WITH(read_text(text), ContainsSubstring(message));
  }
  CHECK_THROWS_WITH(read_text(with_parameters("width: 4, blocks: 2", kBlocks), {{"blocs", 3}}),
                    "m: unknown parameter \"blocs\"; did you mean \"blocks\"?");
  CHECK_THROWS_WITH(read_text(kHead + "layers:\n" + kTail, {{"blocks", 3}}),
                    "m: unknown parameter \"blocks\"; the model has none");
}

TEST_CASE("a value that the first repetition replaces still uses its parameter") {
  const std::string layers =
      "  - block: b\n"
      "    repeat: blocks\n"
      "    layers:\n"
      "      - {layer: convolution, name: c, channels: width, kernel: 1, first: {channels: 3}}\n";
  CHECK_NOTHROW(read_text(with_parameters("width: 4, blocks: 1", layers)));
}
