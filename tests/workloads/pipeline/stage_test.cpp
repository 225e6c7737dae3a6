#include "workloads/pipeline/stage.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "workloads/lowering/kernel_group.hpp"
#include "workloads/model/model_text.hpp"
#include "workloads/pipeline/partition.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::vector<int> even_cuts(const Model& model, int stages, bool fusion = true) {
  const auto cost = layer_costs(model, StepPlan{}, [](const KernelWork& work) {
    return Seconds(work.flop.value / 1e13 + work.bytes.value / 1e11);
  });
  return balanced_stages(model, cost, stages, fusion);
}

Model with_a_skip() {
  return read_between(
      "  - {layer: convolution, name: a, channels: 4, kernel: 1}\n"
      "  - {layer: convolution, name: b, channels: 8, kernel: 1}\n"
      "  - {layer: convolution, name: c, channels: 4, kernel: 1}\n"
      "  - {layer: add, name: sum, shortcut: a}\n"
      "  - {layer: flatten, name: flat}\n");
}

}  // namespace

TEST_CASE("pipeline: the parts of a model have its layers, parameters and work") {
  for (const auto& name : {"resnet50", "amoebanet-d", "bert-base", "gnmt", "mask-rcnn", "inception3", "gpt2"}) {
    const ShardedModel whole = load_model(name);
    for (const int stages : {1, 2, 5, 8}) {
      CAPTURE(name, stages);
      const auto first = even_cuts(whole.model, stages);
      const auto parts = stage_parts(whole, first);
      REQUIRE(parts.size() == first.size());
      std::int64_t parameters = 0, macs = 0;
      std::size_t layers = 0, groups = 0;
      for (const auto& part : parts) {
        parameters += part.model.parameters();
        macs += part.model.macs();
        layers += part.model.layers.size();
        groups += kernel_groups(part.model, true).size();
        REQUIRE(part.load.size() == part.model.layers.size());
        REQUIRE(part.gradient_axes.size() == part.model.layers.size());
      }
      for (const auto& tied : tied_parameters(whole, first))
        parameters -= tied.parameters * (static_cast<std::int64_t>(tied.chunks.size()) - 1);
      CHECK(parameters == whole.model.parameters());
      CHECK(macs == whole.model.macs());
      CHECK(layers == whole.model.layers.size());
      CHECK(groups == kernel_groups(whole.model, true).size());
    }
  }
}

TEST_CASE("pipeline: a part reads the tensors of earlier parts as inputs") {
  const auto parts = stage_parts(with_a_skip(), {0, 1, 3});
  CHECK(parts[0].outputs == std::vector<int>{0});
  CHECK_FALSE(parts[0].inputs_trained);
  REQUIRE(parts[1].model.inputs.size() == 2);
  CHECK(parts[1].model.inputs[1].name == "a");
  CHECK(parts[1].model.layers[0].inputs == std::vector<int>{-2});
  CHECK(parts[1].outputs == std::vector<int>{1});
  CHECK(parts[1].inputs_trained);
  REQUIRE(parts[2].model.inputs.size() == 3);
  CHECK(parts[2].model.layers[0].inputs == std::vector<int>{-2, -3});
  CHECK(parts[2].outputs.empty());
  CHECK_THROWS_AS(stage_parts(with_a_skip(), {0, 3, 3}), std::logic_error);
  CHECK_THROWS_AS(stage_parts(with_a_skip(), {1, 3}), std::logic_error);
  CHECK_THROWS_AS(stage_parts(with_a_skip(), {0, 70}), std::logic_error);
}

TEST_CASE("pipeline: a skip connection is sent through the parts between") {
  const auto boundaries = boundary_elements(with_a_skip(), {0, 1, 2, 3});
  CHECK(boundaries[0].forward.all == 0);
  CHECK(boundaries[1].forward.all == 4 * 64);
  CHECK(boundaries[2].forward.all == (4 + 8) * 64);
  CHECK(boundaries[3].forward.all == (4 + 4) * 64);
  CHECK(boundaries[2].backward.all == boundaries[2].forward.all);
}

TEST_CASE("pipeline: frozen parts send activations but get no gradients") {
  Model model = with_a_skip();
  model.layers[0].trainable = model.layers[1].trainable = false;
  const auto boundaries = boundary_elements(model, {0, 2});
  CHECK(boundaries[1].forward.all == 12 * 64);
  CHECK(boundaries[1].backward.all == 0);
  CHECK_FALSE(stage_parts(model, {0, 2})[1].inputs_trained);
}

TEST_CASE("pipeline: a tied output layer owns a copy of the embedding on its stage") {
  const Model model = load_model("gpt2");
  const std::int64_t table = 50257LL * 768;
  const auto first = even_cuts(model, 4);
  const auto tied = tied_parameters(model, first);
  REQUIRE(tied.size() == 1);
  CHECK(model.layers[tied[0].owner].name == "embeddings.words");
  CHECK(tied[0].chunks == std::vector<int>{0, 3});
  CHECK(tied[0].parameters == table);
  const auto parts = stage_parts(model, first);
  CHECK(parts[0].model.parameters() + parts[3].model.parameters() ==
        model.parameters() + table - parts[1].model.parameters() - parts[2].model.parameters());
  CHECK(tied_parameters(model, {0}).empty());
}

TEST_CASE("pipeline: exchanges stay with their layers") {
  ShardedModel whole = with_a_skip();
  LayerExchange exchange;
  exchange.layer = 2;
  exchange.what = "halo of c";
  whole.exchanges = {exchange};
  whole.load[3] = 1.5;
  const auto parts = stage_parts(whole, {0, 2});
  CHECK(parts[0].exchanges.empty());
  REQUIRE(parts[1].exchanges.size() == 1);
  CHECK(parts[1].exchanges[0].layer == 0);
  CHECK(parts[1].load[1] == 1.5);
}
