// Sharded state: the bytes that a step exchanges and what a rank keeps, against ZeRO's own figures.
#include <algorithm>
#include <map>
#include <string>

#include "catch.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/lowering/parameter_gather.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr auto kModel = "llama-2-7b:layers=4,sequence=512";

StepPlan plan_of(StateSharding sharding, int ranks = 8, int micro_batches = 1) {
  StepPlan plan;
  plan.parallelism[Axis::data] = ranks;
  plan.precision = Precision::bf16;
  plan.optimizer = Optimizer::adam;
  plan.gradient_element = Bytes(2);  // as ZeRO counts: 16 bits for gradients and for parameters
  plan.gradients_in_place = true;
  plan.sharding = sharding;
  plan.micro_batches = micro_batches;
  plan.batch_per_accelerator = micro_batches;
  return plan;
}

// Bytes that a rank sends in a step, in parameters of 2 bytes: a ring all-reduce sends all twice, a half of it once.
double sent(const Model& model, const StepPlan& plan) {
  const StepGraph graph = lower(model, plan);
  double bytes = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    if (node.kind != NodeKind::collective) continue;
    bytes += (node.collective == CollectiveKind::all_reduce ? 2 : 1) * node.payload.value * node.repeats;
  }
  return bytes / (2 * double(model.parameters()));
}

Bytes states(const Model& model, const StepPlan& plan) {
  const MemoryUse use = memory_use(model, plan);
  return use.weights + use.gradients + use.optimizer_state;
}

}  // namespace

// Rajbhandari et al., arXiv:1910.02054, section 7: psi each way, 2 psi for stages 1 and 2, 3 psi for stage 3.
TEST_CASE("a step moves 2 psi with none, optimizer and gradients, 3 psi with parameters") {
  const Model model = load_model(kModel);
  for (const StateSharding sharding : {StateSharding::none, StateSharding::optimizer, StateSharding::gradients})
    CHECK_THAT(sent(model, plan_of(sharding)), Catch::Matchers::WithinRel(2.0, 1e-9));
  CHECK_THAT(sent(model, plan_of(StateSharding::parameters)), Catch::Matchers::WithinRel(3.0, 1e-9));
  StepPlan kept = plan_of(StateSharding::parameters);
  kept.reshard = false;
  CHECK_THAT(sent(model, kept), Catch::Matchers::WithinRel(2.0, 1e-9));
}

TEST_CASE("sharded gradients leave with every micro-batch, sharded parameters come with every pass") {
  const Model model = load_model(kModel);
  CHECK_THAT(sent(model, plan_of(StateSharding::optimizer, 8, 4)), Catch::Matchers::WithinRel(2.0, 1e-9));
  CHECK_THAT(sent(model, plan_of(StateSharding::gradients, 8, 4)), Catch::Matchers::WithinRel(5.0, 1e-9));
  CHECK_THAT(sent(model, plan_of(StateSharding::parameters, 8, 4)), Catch::Matchers::WithinRel(12.0, 1e-9));
}

// Same paper, figure 1: 2 psi + 2 psi + 12 psi; stage 1 divides the last by N, stage 2 the last two, stage 3 all.
TEST_CASE("states are those of the paper's stages, and two blocks of gathered weights") {
  const Model model = load_model(kModel);
  const double psi = double(model.parameters()), n = 64;
  const auto states_of = [&](StateSharding sharding) { return states(model, plan_of(sharding, 64)).value; };
  CHECK_THAT(states_of(StateSharding::none), Catch::Matchers::WithinRel(16 * psi, 1e-9));
  CHECK_THAT(states_of(StateSharding::optimizer), Catch::Matchers::WithinRel((4 + 12 / n) * psi, 1e-9));
  CHECK_THAT(states_of(StateSharding::gradients), Catch::Matchers::WithinRel((2 + 14 / n) * psi, 1e-9));
  const StepPlan plan = plan_of(StateSharding::parameters, 64);
  const double block = 4096.0 * (4 * 4096 + 3 * 11008 + 2), ends = 32001.0 * 4096;
  // The table of words, and the last normalisation with the output layer, are less than a second block.
  CHECK_THAT(gathered_at_once(gather_units(model, plan), true), Catch::Matchers::WithinRel(2 * block, 1e-9));
  REQUIRE(ends < block);
  CHECK_THAT(states_of(StateSharding::parameters),
             Catch::Matchers::WithinRel((2 + 12) / n * psi + 2 * 2 * block, 1e-9));
}

// Zhao et al., arXiv:2304.11277, section 3.2.2: replicas of F ranks' shards all-reduce 1/F of the gradients.
TEST_CASE("replicas of shards add up their gradients in 1/F of the bytes, and shard over F ranks alone") {
  const Model model = load_model(kModel);
  StepPlan plan = plan_of(StateSharding::parameters);
  plan.parallelism[Axis::replica] = 4;
  CHECK_THAT(sent(model, plan), Catch::Matchers::WithinRel(3 + 2.0 / 8, 1e-9));
  CHECK(states(model, plan) == states(model, plan_of(StateSharding::parameters)));
}

TEST_CASE("gathers hide under the kernels of the blocks before them, but the first of each pass") {
  const Model model = load_model(kModel);
  const StepPlan plan = plan_of(StateSharding::parameters);
  const StepGraph graph = lower(model, plan);
  // Kernels of one second each and exchanges of half one: what a block takes hides two gathers.
  const auto times = [](const StepNode& node) {
    return node.kind == NodeKind::kernel ? 1.0 : node.kind == NodeKind::collective ? 0.5 : 0.0;
  };
  std::map<std::string, double> end;
  double last_kernel = 0, compute = 0;
  std::map<int, double> stream;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    double begin = stream[static_cast<int>(node.stream)];
    for (const StepVertex before : graph.predecessors(v)) begin = std::max(begin, end[std::to_string(before)]);
    const double finish = begin + times(node);
    end[std::to_string(v)] = stream[static_cast<int>(node.stream)] = finish;
    if (node.stream != Stream::compute || node.part == StepPart::optimizer) continue;
    compute += times(node);
    last_kernel = finish;
  }
  // Exposed are the first gather of the forward pass and the first of the backward pass.
  CHECK_THAT(last_kernel, Catch::Matchers::WithinAbs(compute + 1.0, 1e-9));
}
