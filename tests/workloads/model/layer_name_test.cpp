#include "workloads/model/layer_names.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/model/model_text.hpp"
#include "workloads/model/operator.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Inputs = std::vector<int>;

const std::string kBlock = "  - block: b\n    repeat: 2\n    layers:\n";
const std::string kPair = "{a: {channels: 3, height: 8, width: 8}, b: {channels: 3, height: 8, width: 8}}";

}  // namespace

TEST_CASE("a name may be full, a block's, or an input's of the model") {
  const Model model = read_text(with_inputs(kPair,
                                            "  - block: s\n"
                                            "    repeat: 2\n"
                                            "    layers:\n"
                                            "      - {layer: relu, name: r}\n"
                                            "      - {layer: tanh, name: t}\n"
                                            "  - {layer: add, name: x, shortcut: s.block0.r}\n"
                                            "  - {layer: add, name: y, shortcut: s}\n"
                                            "  - {layer: add, name: z, shortcut: b}\n"));
  CHECK(model.layers[0].inputs == Inputs{-1});
  CHECK(model.layers[4].inputs == Inputs{3, 0});
  CHECK(model.layers[5].inputs == Inputs{4, 3});
  CHECK(model.layers[6].inputs == Inputs{5, -2});
  CHECK(model.inputs[1].name == "b");
}

TEST_CASE("of several entries of one name the parameters may leave one") {
  for (const bool leaky : {false, true}) {
    const Model model = read_text(kHead + "parameters: {leaky: 0}\nlayers:\n" +
                                      "  - {layer: relu, name: r}\n"
                                      "  - {layer: relu, name: a, when: 1 - leaky}\n"
                                      "  - {layer: tanh, name: a, input: r, when: leaky}\n"
                                      "  - {layer: add, name: s, shortcut: r, input: a}\n" +
                                      kTail,
                                  {{"leaky", leaky}});
    CHECK(model.layers[1].kind == (leaky ? LayerKind::tanh : LayerKind::relu));
    CHECK(model.layers[2].inputs == Inputs{1, 0});
  }
}

TEST_CASE("the only input of a model is called input") {
  const Model model = read_between("  - {layer: relu, name: r}\n  - {layer: add, name: s, shortcut: input}\n");
  CHECK(model.layers[1].inputs == Inputs{0, -1});
}

TEST_CASE("previous_input is what entered the repetition or block before") {
  const Model model =
      read_between("  - {layer: relu, name: r}\n" + kBlock +
                   "      - {layer: relu, name: p}\n"
                   "      - {layer: add, name: s, shortcut: previous_input}\n"
                   "  - block: c\n    layers:\n      - {layer: add, name: s, shortcut: previous_input}\n");
  CHECK(model.layers[2].inputs == Inputs{1, -1});  // no block before: the list's own input
  CHECK(model.layers[4].inputs == Inputs{3, 0});   // what entered b.block0
  CHECK(model.layers[5].inputs == Inputs{4, 2});   // what entered b.block1
}

TEST_CASE("several losses and work on the host may stay unread") {
  const Model model = read_between(
      "  - {layer: dense, name: d, outputs: 4}\n"
      "  - {layer: sigmoid_loss, name: l}\n"
      "  - {layer: host_work, name: h, input: d, time: 1 ms}\n"
      "  - {layer: relu, name: r, input: d}\n");
  CHECK(model.layers.size() == 6);
}

TEST_CASE("a name that means nothing here is refused with the reason") {
  const std::pair<std::string, std::string> rows[] = {
      {"  - {layer: relu, name: r, input: r}\n",
       "m.yaml:9: r reads itself, a cycle; a layer reads only earlier layers"},
      {"  - {layer: add, name: s, shortcut: t}\n  - {layer: relu, name: t}\n",
       "m.yaml:9: \"t\" does not come before s, a cycle or a slip of order; a layer reads only earlier layers"},
      {kBlock + "      - {layer: add, name: s, shortcut: b}\n",
       "m.yaml:12: s reads the block \"b\" that it stands in: a cycle"},
      {kBlock + "      - {layer: add, name: s, shortcut: t}\n  - {layer: relu, name: t}\n",
       "m.yaml:12: \"t\" does not come before s"},
      {"  - {layer: relu, name: input}\n", "m.yaml:9: \"input\" is the name of an input of the model"},
      {"  - {layer: relu, name: b}\n" + kBlock + "      - {layer: relu, name: r}\n",
       "the layer name \"b\" stands twice"},
      {"  - {layer: relu, name: previous_input}\n", "m.yaml:9: \"previous_input\" cannot be a name"},
      {"  - {layer: relu, name: r, input: previous_input}\n",
       "m.yaml:9: \"previous_input\" has a meaning only inside a block"},
      {"  - {layer: dense, name: d, outputs: 4}\n  - {layer: sigmoid_loss, name: l}\n",
       "m.yaml:11: classifier reads the loss l, which ends its branch; name another input"},
      {"  - {layer: relu, name: r}\n  - {layer: relu, name: q, input: input}\n", "m.yaml:9: no layer reads r"},
  };
  for (const auto& [layers, message] : rows) {
    INFO(layers);
    CHECK_THROWS_AS(read_between(layers), InputError);
    CHECK_THROWS_WITH(read_between(layers), ContainsSubstring(message));
  }
  CHECK_THROWS_WITH(read_text(with_inputs(kPair, "  - {layer: relu, name: r}\n")),
                    ContainsSubstring("no layer reads the input b"));
}

TEST_CASE("a message names the layers close by, or the nearest of all") {
  std::string layers;
  for (int i = 0; i < 50; ++i) layers += "  - {layer: relu, name: unit_number_" + std::to_string(i) + "}\n";
  CHECK_THROWS_WITH(read_between(layers + "  - {layer: add, name: s, shortcut: unit_numbr_3}\n"),
                    ContainsSubstring("did you mean \"unit_number_3\"?"));
  try {
    read_between(layers + "  - {layer: add, name: s, shortcut: xyzzy}\n");
    FAIL("xyzzy is no layer");
  } catch (const InputError& e) {
    CHECK_THAT(e.reason(), ContainsSubstring("known: unit_number_30, ") && ContainsSubstring("unit_number_49"));
  }
}

TEST_CASE("wrong inputs of a model are refused with their line") {
  const std::pair<const char*, const char*> rows[] = {
      {"{}", "the model needs an input"},
      {"{a: {channels: 3}}", "m.yaml:3: the key \"height\" is missing"},
      {"{a: {chanels: 3, height: 8, width: 8}}", "m.yaml:3: unknown key \"chanels\"; did you mean \"channels\"?"},
      {"{a: {features: 3, height: 8}}", "m.yaml:3: unknown key \"height\""},
      {"{a: {tokens: 0}}", "m.yaml:3: 0 is below"},
      {"{a: {tokens: 100000000}}", "m.yaml:3: 100000000 is absurdly large for an input; at most 16777216"},
      {"{a: {features: 16777216, tokens: 16777216}}",
       "m.yaml:3: an input of 16777216 x 16777216 x 1 is absurdly large"},
      {"{a b: {tokens: 3}}", "m.yaml:3: \"a b\" cannot be a name"},
      {"{block_input: {tokens: 3}}", "m.yaml:3: \"block_input\" cannot be a name"},
      {"[3]", "m.yaml:3: expected a map"},
      {"{a: {tokens: 3}}\ninput: {tokens: 3}", "m.yaml:4: \"input\" beside \"inputs\"; give one of them"},
  };
  for (const auto& [inputs, message] : rows) {
    INFO(inputs);
    CHECK_THROWS_AS(read_text(with_inputs(inputs, "")), InputError);
    CHECK_THROWS_WITH(read_text(with_inputs(inputs, "")), ContainsSubstring(message));
  }
}

TEST_CASE("the whole file that the catalogue's README shows is a model") {
  std::ifstream file(std::string(MLSIM_SOURCE_DIR) + "/workloads/catalogue/README.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string readme = text.str(), fence = "```yaml\n";
  const auto begin = readme.find(fence) + fence.size();
  const Model model = read_text(readme.substr(begin, readme.find("```", begin) - begin), {{"blocks", 4}});
  CHECK(model.layers.size() == 1 + 5 + 3 * 4 + 3);
  CHECK(model.layers.back().output == Shape{10, 1, 1});
  for (const auto& name : names<LayerKind>()) CHECK_THAT(readme, ContainsSubstring("`" + name + "`"));
}
