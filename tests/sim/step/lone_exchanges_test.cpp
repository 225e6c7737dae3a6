#include "sim/step/lone_exchanges.hpp"

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "tests/namespace.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

StepNode exchange(Stream stream, int role = 0, NodeKind kind = NodeKind::collective) {
  StepNode node;
  node.kind = kind;
  node.stream = stream;
  node.role = role;
  node.payload = Bytes(100);
  return node;
}

StepSchedule schedule_of(StepGraph& graph, const std::vector<StepNode>& nodes) {
  for (const StepNode& node : nodes) graph.add(node, {});
  return {graph, std::vector<Seconds>(nodes.size())};
}

Prediction pipeline(int micro_batches, Fidelity fidelity, const std::string& options = "") {
  PredictRequest request;
  request.topology = "dgx-a100:nodes=2";
  request.workload = "gpt2";
  request.parallelism = "tensor=2,pipeline=2,micro_batches=" + std::to_string(micro_batches);
  request.global_batch = 4 * micro_batches;
  request.fidelity = fidelity;
  if (!options.empty()) request.options = options_of({{"slow_rank", options}});
  request.builtin_profiles = calibrate::builtin_profiles();
  return predict(request);
}

}  // namespace

TEST_CASE("exchanges run alone where one class of ranks has them on one stream") {
  const std::vector<RankClass> one{{1, 0, 8}}, two{{1, 0, 7}, {0.5, 0, 1}};
  const StepNode behind = exchange(Stream::exchange), beside = exchange(Stream::communication);
  StepGraph of_one_stream, of_two;
  const StepSchedule in_turn = schedule_of(of_one_stream, {behind, behind}),
                     at_once = schedule_of(of_two, {behind, beside});
  CHECK(LoneExchanges(in_turn, one).has(behind));
  CHECK_FALSE(LoneExchanges(in_turn, two).has(behind));
  CHECK_FALSE(LoneExchanges(at_once, one).has(behind));
}

TEST_CASE("transfers never count as alone: they wait for no stream") {
  StepGraph graph;
  const StepNode transfer = exchange(Stream::communication, 0, NodeKind::transfer);
  const StepSchedule schedule = schedule_of(graph, {transfer});
  CHECK_FALSE(LoneExchanges(schedule, {{1, 0, 8}}).has(transfer));
}

TEST_CASE("the time of one exchange is known of those that carry as much") {
  StepGraph graph;
  const StepNode known = exchange(Stream::exchange);
  StepNode larger = known;
  larger.payload = Bytes(101);
  const StepSchedule schedule = schedule_of(graph, {known, larger});
  LoneExchanges lone(schedule, {{1, 0, 8}});
  CHECK_FALSE(lone.time(known));
  lone.learn(known, Seconds(3));
  CHECK(lone.time(known) == Seconds(3));
  CHECK_FALSE(lone.time(larger));
}

TEST_CASE("a pipeline moves what its stages exchange once for all micro-batches, and takes the time of all moved") {
  std::vector<std::uint64_t> flows;
  for (const int micro_batches : {8, 16, 24}) {
    const Prediction folded = pipeline(micro_batches, Fidelity::folded),
                     fluid = pipeline(micro_batches, Fidelity::fluid);
    INFO(micro_batches);
    CHECK(folded.step.time.value == Approx(fluid.step.time.value).epsilon(1e-9));
    CHECK(folded.step.bubble.value == Approx(fluid.step.bubble.value).epsilon(1e-7));
    CHECK(folded.simulation.flows < fluid.simulation.flows / 100);
    flows.push_back(folded.simulation.flows);
  }
  CHECK(flows[2] - flows[1] == flows[1] - flows[0]);
  CHECK(flows[1] - flows[0] == 8 * 2);  // each micro-batch there and its gradient back
}
