// Experts that are whole on one rank and shared out among the tensor ranks, too.
#include <algorithm>
#include <map>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "namespace.hpp"
#include "tests/workloads/split/split_plan.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/model/model_catalogue.hpp"
#include "workloads/split/expert_split.hpp"
#include "workloads/split/tensor_split.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const char* const kMixtral = "mixtral-8x7b:layers=2";

StepPlan plan_on(int tensor, int expert) {
  StepPlan plan = plan_of(Axis::tensor, tensor);
  plan.parallelism[Axis::expert] = expert;
  return plan;
}

ShardedModel whole_experts() {
  return split_tensor(split_experts(load_model(kMixtral), 4, 1, 2), 2, true, false, true);
}
ShardedModel divided_experts() { return split_tensor(split_experts(load_model(kMixtral), 2), 2, true); }

double expert_flop(const ShardedModel& part, const StepPlan& plan) {
  const StepGraph graph = lower(part, plan);
  double sum = 0;
  for (StepVertex v = 0; v < graph.size(); ++v)
    if (graph[v].part != StepPart::optimizer) sum += graph[v].work->flop.value;
  return sum;
}

// Sums what a rank exchanges in a step, by kind and axes.
std::map<std::pair<CollectiveKind, AxisSet>, double> payloads(const ShardedModel& part, const StepPlan& plan) {
  const StepGraph graph = lower(part, plan);
  std::map<std::pair<CollectiveKind, AxisSet>, double> sums;
  for (StepVertex v = 0; v < graph.size(); ++v)
    if (graph[v].kind == NodeKind::collective && graph[v].part != StepPart::optimizer)
      sums[{graph[v].collective, graph[v].axes}] += graph[v].payload.value;
  return sums;
}

}  // namespace

TEST_CASE("whole experts are shared out among expert and tensor ranks, and all else as before") {
  const Model whole = load_model(kMixtral);
  const ShardedModel part = whole_experts(), divided = divided_experts();
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    const Layer& all = whole.layers[i];
    INFO(all.name);
    const bool expert = all.kind == LayerKind::expert_dense;
    CHECK(part.model.layers[i].parameters() == divided.model.layers[i].parameters());  // a quarter of the experts'
    if (!expert) continue;
    CHECK(part.model.layers[i].experts * 4 == all.experts);
    CHECK(divided.model.layers[i].experts * 2 == all.experts);
    CHECK(part.model.layers[i].input.channels == all.input.channels);
    CHECK(part.model.layers[i].input.height * 2 == all.input.height);  // its own tokens
    CHECK(part.gradient_axes[i] == kGradientAxes.without(Axis::expert));
  }
}

TEST_CASE("a rank computes as much of whole experts as of parts of them") {
  CHECK(expert_flop(whole_experts(), plan_on(2, 2)) == Approx(expert_flop(divided_experts(), plan_on(2, 2))));
}

TEST_CASE("tokens go to whole experts over both axes, and are not gathered for them") {
  const auto whole = payloads(whole_experts(), plan_on(2, 2)), divided = payloads(divided_experts(), plan_on(2, 2));
  const AxisSet both = Axis::expert | Axis::tensor;
  const double to_whole = whole.at({CollectiveKind::all_to_all, both});
  CHECK(to_whole * 2 == divided.at({CollectiveKind::all_to_all, AxisSet(Axis::expert)}));  // each sends its own half
  CHECK_FALSE(whole.contains({CollectiveKind::all_to_all, AxisSet(Axis::expert)}));
  const std::pair gathers{CollectiveKind::all_gather, AxisSet(Axis::tensor)};
  CHECK(whole.at(gathers) < divided.at(gathers));
}

TEST_CASE("tensor ranks alone share out whole experts, and send tokens to each other") {
  const ShardedModel part = split_tensor(split_experts(load_model(kMixtral), 2, 1, 2), 2, true, false, true);
  const Model whole = load_model(kMixtral);
  for (std::size_t i = 0; i < whole.layers.size(); ++i) {
    if (whole.layers[i].kind != LayerKind::expert_dense) continue;
    CHECK(2 * part.model.layers[i].parameters() == whole.layers[i].parameters());
    CHECK_FALSE(part.gradient_axes[i].has(Axis::tensor));
  }
  CHECK(std::any_of(part.exchanges.begin(), part.exchanges.end(), [](const LayerExchange& each) {
    return each.kind == CollectiveKind::all_to_all && each.axes.has(Axis::tensor);
  }));
}

TEST_CASE("a request counts the tensor ranks among those of whole experts") {
  const ParallelismRequest asked = parse_parallelism("tp=2,ep=4,etp=1", 16);
  CHECK(asked.whole_experts());
  CHECK(asked.parallelism[Axis::expert] == 2);
  CHECK(asked.parallelism[Axis::data] == 4);
  CHECK(to_text(asked.parallelism, true) == "data=4, expert=4, tensor=2, expert_tensor=1");
  CHECK(to_text(asked.parallelism, false) == "data=4, expert=2, tensor=2");
  const ParallelismRequest same = parse_parallelism("tensor=4,expert=4,expert_tensor=1", 16);
  CHECK(same.parallelism[Axis::expert] == 1);
  CHECK(same.parallelism[Axis::data] == 4);
  CHECK(to_text(same.parallelism, true) == "data=4, expert=4, tensor=4, expert_tensor=1");
  CHECK_THROWS_WITH(parse_parallelism("tensor=4,expert_tensor=1", 16), ContainsSubstring("expert=4 shares them out"));
  CHECK_THROWS_WITH(parse_parallelism("tensor=2,expert=3,expert_tensor=1", 16),
                    ContainsSubstring("expert=3 with whole experts on 2 tensor ranks does not divide; expert=2 does"));
  CHECK_THROWS_WITH(parse_parallelism("tensor=2,expert=32,expert_tensor=1", 16), ContainsSubstring("expert=32"));
}
