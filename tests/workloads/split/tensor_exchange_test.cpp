#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/workloads/lowering/node_named.hpp"
#include "tests/workloads/split/split_plan.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/split/tensor_split.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Sum {
  int count = 0;
  double bytes = 0;
};

// Collectives on the tensor axis by part of the step and kind.
std::map<std::pair<StepPart, CollectiveKind>, Sum> tensor_collectives(const StepGraph& graph) {
  std::map<std::pair<StepPart, CollectiveKind>, Sum> sums;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    if (node.kind != NodeKind::collective || node.stream != Stream::exchange) continue;
    CHECK(node.axes == AxisSet(Axis::tensor));
    Sum& sum = sums[{node.part, node.collective}];
    ++sum.count;
    sum.bytes += node.payload.value;
  }
  return sums;
}

bool waits_for(const StepGraph& graph, const std::string& later, const std::string& earlier) {
  return follows(graph, node_named(graph, later), node_named(graph, earlier));
}

}  // namespace

TEST_CASE("a layer all-reduces b s h twice in each pass") {
  const double b = 4, s = 1024, h = 768;
  const auto sums = [&](int layers) {
    const Model model = load_model("gpt2:layers=" + std::to_string(layers));
    return tensor_collectives(lower(split_tensor(model, 4, false), plan_of(Axis::tensor, 4)));
  };
  const auto four = sums(4), five = sums(5);
  for (const StepPart part : {StepPart::forward, StepPart::backward}) {
    const std::pair key{part, CollectiveKind::all_reduce};
    CHECK(five.at(key).count - four.at(key).count == 2);
    CHECK(five.at(key).bytes - four.at(key).bytes == 2 * b * s * h * 2);
  }
  CHECK(five.size() == 2);
  // Besides, the table's look-up and three fp32 numbers a position of the loss; the gradient of the output layer's
  // input.
  CHECK(four.at({StepPart::forward, CollectiveKind::all_reduce}).count == 4 * 2 + 4);
  CHECK(four.at({StepPart::forward, CollectiveKind::all_reduce}).bytes == (4 * 2 + 1) * b * s * h * 2 + 3 * 4 * b * s);
  CHECK(four.at({StepPart::backward, CollectiveKind::all_reduce}).count == 4 * 2 + 1);
}

TEST_CASE("on tokens each all-reduce is a reduce-scatter and an all-gather of its payload") {
  const double b = 4, s = 1024, h = 768;
  const auto sums = [&](int layers, bool sequence) {
    const Model model = load_model("gpt2:layers=" + std::to_string(layers));
    return tensor_collectives(lower(split_tensor(model, 4, sequence), plan_of(Axis::tensor, 4)));
  };
  const auto four = sums(4, true), five = sums(5, true), plain = sums(5, false);
  for (const StepPart part : {StepPart::forward, StepPart::backward}) {
    for (const CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::all_gather}) {
      CHECK(five.at({part, kind}).count - four.at({part, kind}).count == 2);
      CHECK(five.at({part, kind}).bytes - four.at({part, kind}).bytes == 2 * b * s * h * 2);
    }
  }
  // Of the whole model, the loss's numbers stay all-reduces, and the gradient of the last normalisation comes
  // scattered.
  const double loss = 3 * 4 * b * s;
  CHECK(five.at({StepPart::forward, CollectiveKind::all_reduce}).bytes == loss);
  CHECK(five.at({StepPart::forward, CollectiveKind::reduce_scatter}).bytes ==
        plain.at({StepPart::forward, CollectiveKind::all_reduce}).bytes - loss);
  CHECK(five.at({StepPart::backward, CollectiveKind::reduce_scatter}).bytes ==
        plain.at({StepPart::backward, CollectiveKind::all_reduce}).bytes);
}

TEST_CASE("a tensor that several layers read has one exchange") {
  // All six decoder layers read the encoder's output.
  const ShardedModel part = split_tensor(load_model("transformer-big"), 4, false);
  int encoder_output = 0;
  for (std::size_t i = 0; i < part.model.layers.size(); ++i) {
    if (part.model.layers[i].name == "encoder.block5.norm2") encoder_output = static_cast<int>(i);
  }
  const auto of_encoder = std::count_if(part.exchanges.begin(), part.exchanges.end(),
                                        [&](const LayerExchange& each) { return each.layer == encoder_output; });
  CHECK(of_encoder == 1);
  // Of each encoder layer 2, of each decoder layer 3, two look-ups and three of the loss.
  const auto forward = std::count_if(part.exchanges.begin(), part.exchanges.end(),
                                     [](const LayerExchange& each) { return each.moment == Moment::after_forward; });
  CHECK(forward == 6 * 2 + 6 * 3 + 2 + 3);
  std::set<std::pair<int, Moment>> places;
  for (const auto& each : part.exchanges) {
    if (each.moment == Moment::before_backward) CHECK(places.insert({each.layer, each.moment}).second);
  }
  // Read by column-parallel layers: both embeddings, of each encoder layer both norms, of each decoder layer all three.
  CHECK(places.size() == 2 + 6 * 2 + 6 * 3);
}

TEST_CASE("exchanges of a tensor axis stand between the kernels that need them") {
  const StepGraph graph = lower(split_tensor(load_model("gpt2:layers=2"), 4, false), plan_of(Axis::tensor, 4, 2));
  const std::string block = "decoder.block0.", next = "decoder.block1.";
  const std::string sums = "all-reduce sums of " + block + "ffn.narrow";
  CHECK(waits_for(graph, sums, block + "ffn.narrow forward"));
  CHECK(waits_for(graph, block + "dropout2+add2 forward", sums));
  // The gradient that the column-parallel projections make is added up before the normalisation reads it.
  const std::string gradients = "all-reduce gradients of " + next + "norm1";
  CHECK(waits_for(graph, gradients, next + "projections input gradient"));
  CHECK(waits_for(graph, next + "norm1 backward", gradients));
}

TEST_CASE("a layer keeps what Korthikanti et al. count with tensor and with sequence parallelism") {
  // arXiv:2205.05198, table 2: s b h (10 + 24 / t + 5 a s / (h t)) and s b h / t (34 + 5 a s / h) bytes in 16 bits.
  struct Row {
    const char* model;
    double s, h, a;
  };
  for (const Row& row :
       {Row{"bert-large", 512, 1024, 16}, Row{"gpt2", 1024, 768, 12}, Row{"gpt3-175b", 2048, 12288, 96}}) {
    for (const int t : {1, 2, 4}) {
      INFO(row.model << " on " << t);
      const auto kept = [&](int layers, bool sequence) {
        const Model model = load_model(std::string(row.model) + ":layers=" + std::to_string(layers));
        return kept_per_sample(split_tensor(model, t, sequence), plan_of(Axis::tensor, t)).value;
      };
      const double scores = 5 * row.a * row.s / row.h;
      CHECK(kept(5, false) - kept(4, false) == row.s * row.h * (10 + 24.0 / t + scores / t));
      CHECK(kept(5, true) - kept(4, true) == row.s * row.h / t * (34 + scores));
    }
  }
}

TEST_CASE("weights and optimizer state of a rank shrink with its parameters") {
  const Model model = load_model("gpt3-175b");
  const ShardedModel part = split_tensor(model, 8, false);
  const MemoryUse one = memory_use(model, plan_of(Axis::tensor, 1)),
                  eighth = memory_use(part, plan_of(Axis::tensor, 8));
  CHECK(eighth.weights.value == Approx(one.weights.value / 8).epsilon(0.01));
  CHECK(eighth.optimizer_state.value == Approx(one.optimizer_state.value / 8).epsilon(0.01));
  CHECK(eighth.buffers == Bytes(0));  // no gradient crosses the tensor axis
}

TEST_CASE("a tensor axis that does not fit is refused with the nearest that does") {
  const auto refused = [](const char* model, int ranks, bool sequence, const char* text) {
    INFO(model << " on " << ranks);
    CHECK_THROWS_AS(split_tensor(load_model(model), ranks, sequence), Infeasible);
    CHECK_THROWS_WITH(split_tensor(load_model(model), ranks, sequence), ContainsSubstring(text));
  };
  refused("gpt2", 8, false, "tensor=8 does not divide the 12 heads of decoder.block0.attention; tensor=6 works");
  refused("bert-large", 3, false, "tensor=3 does not divide the 16 heads of encoder.block0.attention; tensor=4 works");
  refused("bert-large", 1000, false, "; tensor=16 works");
  refused("transformer-big", 2, true, "tensor=2 does not divide the 29 tokens of ");
  refused("transformer-big", 2, true, "; no axis tensor longer than 1 works");
  refused("dlrm", 3, false, "tensor=3 does not divide the 512 outputs of bottom.dense1; tensor=4 works");
  refused("resnet50", 64, false, "tensor=64 splits no layer of resnet50");
  refused("awd-lstm", 1024, false, "tensor=1024 splits no layer of awd-lstm");
  CHECK_THROWS_AS(split_tensor(load_model("gpt2"), 0, false), InputError);
}
