#include "workloads/split/expert_split.hpp"

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/workloads/split/split_plan.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/model/model_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const char* const kSmall = "gshard-moe:layers=4,experts=16,source_vocabulary=1000,target_vocabulary=1000";

bool is_expert(const Layer& layer) { return layer.kind == LayerKind::expert_dense; }

double flop(const ShardedModel& sharded, const StepPlan& plan) {
  const StepGraph graph = lower(sharded, plan);
  double sum = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    if (graph[v].part != StepPart::optimizer) sum += graph[v].work->flop.value;
  }
  return sum;
}

}  // namespace

TEST_CASE("ranks share out the experts and nothing else") {
  const Model whole = load_model("gshard-moe");
  const ShardedModel part = split_experts(whole, 128);
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    const Layer &all = whole.layers[i], &one = part.model.layers[i];
    INFO(all.name);
    CHECK(one.parameters() * (is_expert(all) ? 128 : 1) == all.parameters());
    CHECK(one.output == all.output);
    CHECK(one.macs() == all.macs());  // of a sample, wherever its positions go
    CHECK(part.gradient_axes[i].has(Axis::expert) != is_expert(all));
    CHECK(part.gradient_axes[i].has(Axis::data));
    CHECK(part.load[i] == 1);
  }
  // Lepikhin et al., table 1: 600 G parameters, nearly all of them experts', so nearly all are shared out.
  const double experts = 18.0 * 2048 * 2 * 1024 * 8192;
  const double rest = double(whole.parameters()) - experts;
  CHECK(double(part.model.parameters()) == rest + experts / 128);
}

TEST_CASE("a rank's kernels of a mixture do what its share of all positions asks") {
  // Each of e ranks computes experts / e for the positions of all: as much as all experts for its own.
  const Model whole = load_model(kSmall);
  CHECK(flop(split_experts(whole, 8), plan_of(Axis::expert, 8)) == Approx(flop(whole, plan_of(Axis::expert, 1))));
}

TEST_CASE("a mixture has two all-to-alls in each pass") {
  const double b = 4, tokens = 128, hidden = 1024;
  const ShardedModel part = split_experts(load_model(kSmall), 8, 1.25);
  const StepGraph graph = lower(part, plan_of(Axis::expert, 8));
  int forward = 0, backward = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    if (node.kind != NodeKind::collective || node.collective != CollectiveKind::all_to_all) continue;
    CHECK(node.stream == Stream::exchange);
    CHECK(node.axes == AxisSet(Axis::expert));
    CHECK(node.payload.value == b * tokens * 2 * 1.25 * hidden * 2);  // two experts each, bf16
    ++(node.part == StepPart::forward ? forward : backward);
  }
  CHECK(forward == 2 * 2);  // of the encoder's and the decoder's mixture
  CHECK(backward == 2 * 2);
}

TEST_CASE("positions go to their experts before the first expert layer and come back behind the last") {
  const ShardedModel part = split_experts(load_model(kSmall), 8);
  std::vector<std::string> seen;
  for (const LayerExchange& each : part.exchanges) {
    const Layer& layer = part.model.layers[each.layer];
    if (layer.name.starts_with("encoder.block0.mixture.")) {
      seen.push_back(layer.name.substr(23) + (each.moment == Moment::before_forward    ? " before forward"
                                              : each.moment == Moment::after_forward   ? " after forward"
                                              : each.moment == Moment::before_backward ? " before backward"
                                                                                       : " after backward"));
    }
  }
  CHECK(seen == std::vector<std::string>{"widen before forward", "widen after backward", "narrow after forward",
                                         "narrow before backward"});
  const StepGraph graph = lower(part, plan_of(Axis::expert, 8, 2));
  std::vector<std::string> order;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const std::string& name = graph[v].name;
    if (graph[v].part == StepPart::forward && name.find("encoder.block0.mixture.") != std::string::npos &&
        (name.find("widen") != std::string::npos || name.find("narrow") != std::string::npos))
      order.push_back(name);
  }
  const std::string mixture = "encoder.block0.mixture.";
  CHECK(order == std::vector<std::string>{"all-to-all positions to " + mixture + "widen",
                                          mixture + "widen+relu forward", mixture + "narrow forward",
                                          "all-to-all positions back from " + mixture + "narrow"});
}

TEST_CASE("gradients of experts cross data ranks only") {
  const StepGraph graph = lower(split_experts(load_model(kSmall), 8), plan_of(Axis::expert, 8, 2));
  double experts = 0, others = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    if (node.part != StepPart::gradient_exchange) continue;
    if (node.axes == AxisSet(Axis::data)) experts += node.payload.value;
    if (node.axes == (Axis::data | Axis::expert)) others += node.payload.value;
  }
  const double of_experts = 2.0 * 16 * 2 * 1024 * 8192;  // parameters of both mixtures
  CHECK(experts == 4 * of_experts / 8);
  CHECK(others == 4 * (double(load_model(kSmall).parameters()) - of_experts));
}

TEST_CASE("a capacity beyond an even routing is computed and exchanged") {
  const Model whole = load_model(kSmall);
  const ShardedModel even = split_experts(whole, 4), roomy = split_experts(whole, 4, 1.5);
  REQUIRE(even.exchanges.size() == roomy.exchanges.size());
  for (std::size_t i = 0; i < even.exchanges.size(); ++i)
    CHECK(roomy.exchanges[i].elements_per_sample == 1.5 * even.exchanges[i].elements_per_sample);
  const std::int64_t inside = std::count(roomy.load.begin(), roomy.load.end(), 1.5);
  CHECK(inside == 2 * 3);  // widen, relu and narrow
  double extra = 0;        // FLOP of expert layers: forward, input and weight gradients
  for (const Layer& layer : whole.layers) extra += is_expert(layer) ? 0.5 * 3 * 2 * 4 * double(layer.macs()) : 0;
  CHECK(flop(roomy, plan_of(Axis::expert, 4)) - flop(even, plan_of(Axis::expert, 4)) == Approx(extra));
}

TEST_CASE("expert layers that read the same positions share one dispatch") {
  const Model model =
      read_text(with_inputs("{tokens: {tokens: 4}}",
                            "  - {layer: embedding, name: words, rows: 10, width: 8, input: tokens}\n"
                            "  - {layer: expert_dense, name: up, outputs: 16, experts: 4, chosen: 1}\n"
                            "  - {layer: expert_dense, name: gate, outputs: 16, experts: 4, chosen: 1, "
                            "input: words}\n"
                            "  - {layer: sigmoid, name: sigmoid}\n"
                            "  - {layer: multiply, name: product, with: up}\n"
                            "  - {layer: expert_dense, name: down, outputs: 8, experts: 4, chosen: 1}\n"));
  const ShardedModel part = split_experts(model, 4);
  REQUIRE(part.exchanges.size() == 4);
  CHECK(part.exchanges[0].what == "positions to up");
  CHECK(part.exchanges[0].elements_per_sample == 4 * 8);
  CHECK(part.exchanges[2].what == "positions back from down");
}

TEST_CASE("memory of experts shrinks with the ranks that hold them") {
  const Model whole = load_model("gshard-moe");
  const MemoryUse use = memory_use(split_experts(whole, 2048), plan_of(Axis::expert, 2048));
  const double experts = 18.0 * 2048 * 2 * 1024 * 8192;
  CHECK(use.weights.value == 6 * (double(whole.parameters()) - experts + experts / 2048));
}

TEST_CASE("an expert axis that does not fit is refused with the nearest that does") {
  const auto refused = [](const char* model, int ranks, const char* text) {
    CHECK_THROWS_AS(split_experts(load_model(model), ranks), Infeasible);
    CHECK_THROWS_WITH(split_experts(load_model(model), ranks), ContainsSubstring(text));
  };
  refused("gshard-moe", 100,
          "expert=100 does not divide the 2048 experts of encoder.block0.mixture.widen; expert=128 works");
  refused("gshard-moe", 4096, "; expert=2048 works");
  refused("bert-large", 4, "expert=4: bert-large has no mixture of experts");
  CHECK_THROWS_AS(split_experts(load_model(kSmall), -1), InputError);
  CHECK_THROWS_WITH(split_experts(load_model(kSmall), 4, 0.5), ContainsSubstring("a capacity of 0.5 is not from 1"));
  CHECK_THROWS_AS(split_experts(load_model(kSmall), 4, 1e9), InputError);
  CHECK(split_experts(load_model(kSmall), 1, 2).exchanges.empty());
}

TEST_CASE("every row that a gate sends to an expert crosses the axis, there and back") {
  const ShardedModel part = split_experts(load_model("mixtral-8x7b:layers=1"), 8, 1);
  const double rows = 2 * 4096.0 * 4096;  // two experts a token
  double there = 0, back = 0;
  for (const LayerExchange& each : part.exchanges) {
    if (each.moment == Moment::before_forward) there += each.elements_per_sample;
    if (each.moment == Moment::after_forward) back += each.elements_per_sample;
  }
  CHECK(there == rows);
  CHECK(back == rows);
  const std::int64_t expert = 3 * std::int64_t{4096} * 14336;
  CHECK(load_model("mixtral-8x7b:layers=1").parameters() - part.model.parameters() == 7 * expert);
}

TEST_CASE("overlapped, what goes to experts and back travels beside kernels and is as much") {
  const ShardedModel apart = split_experts(load_model(kSmall), 8),
                     beside = split_experts(load_model(kSmall), 8, 1, 1, true);
  REQUIRE(apart.exchanges.size() == beside.exchanges.size());
  for (std::size_t i = 0; i < apart.exchanges.size(); ++i) {
    CHECK_FALSE(apart.exchanges[i].beside);
    CHECK(beside.exchanges[i].beside);
    CHECK(apart.exchanges[i].elements_per_sample == beside.exchanges[i].elements_per_sample);
  }
}
