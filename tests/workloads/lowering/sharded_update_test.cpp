// Weight-update sharding: what it moves and keeps, against T = reduce-scatter + c P / (N B) + all-gather.
#include <cmath>
#include <map>
#include <optional>

#include "catch.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr double kMemory = 900e9, kLink = 70e9;  // B/s

StepPlan plan_of(int ranks, Optimizer optimizer, bool sharded, std::optional<Precision> weights = {}) {
  StepPlan plan;
  plan.parallelism[Axis::data] = ranks;
  plan.precision = Precision::bf16;
  plan.optimizer = optimizer;
  plan.sharding = sharded ? StateSharding::optimizer : StateSharding::none;
  plan.weight_precision = weights;
  return plan;
}

// Seconds of the update and of the exchanges of gradients and weights: bytes over memory bandwidth, and rings.
double update_time(const Model& model, const StepPlan& plan) {
  const StepGraph graph = lower(model, plan);
  const double n = plan.parallelism.ranks();
  double time = 0;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    if (node.part == StepPart::optimizer && node.kind == NodeKind::kernel) time += node.work->bytes.value / kMemory;
    if (node.kind != NodeKind::collective || node.payload.value < 1e5) continue;  // norms: latency alone
    const double passes = node.collective == CollectiveKind::all_reduce ? 2 : 1;
    time += passes * (n - 1) / n * node.payload.value / kLink;
  }
  return time;
}

// Bytes of one parameter's update: loads and stores of weight, gradient and state (docs/models.md, optimizers).
const std::map<Optimizer, double> kUpdateBytes{
    {Optimizer::sgd, 12}, {Optimizer::lars, 28}, {Optimizer::adam, 28}, {Optimizer::lamb, 44}};
const std::map<Optimizer, double> kStateBytes{
    {Optimizer::sgd, 0}, {Optimizer::lars, 4}, {Optimizer::adam, 8}, {Optimizer::lamb, 8}};

}  // namespace

TEST_CASE("a sharded update takes the time of its closed form") {
  const Model model = load_model("resnet50");
  const auto parameters = double(model.parameters());
  for (const auto& [optimizer, bytes] : kUpdateBytes) {
    for (const int ranks : {2, 8, 512}) {
      const double ring = (ranks - 1.0) / ranks * 4 * parameters / kLink;  // fp32 gradients one way
      const double whole = 2 * ring + bytes * parameters / kMemory;
      CHECK_THAT(update_time(model, plan_of(ranks, optimizer, false)), Catch::Matchers::WithinRel(whole, 1e-9));
      for (const auto& [format, element] :
           std::map<Precision, double>{{Precision::fp32, 4}, {Precision::bf16, 2}, {Precision::fp16, 2}}) {
        const double sharded = ring + bytes * parameters / (ranks * kMemory) + ring * element / 4;
        CHECK_THAT(update_time(model, plan_of(ranks, optimizer, true, format)),
                   Catch::Matchers::WithinRel(sharded, 1e-5));  // a rank's part is rounded up
      }
    }
  }
}

TEST_CASE("new weights are gathered in the format of the step where none is asked for") {
  const Model model = load_model("resnet50");
  CHECK(update_time(model, plan_of(8, Optimizer::adam, true)) ==
        update_time(model, plan_of(8, Optimizer::adam, true, Precision::bf16)));
  CHECK(update_time(model, plan_of(8, Optimizer::adam, true)) <
        update_time(model, plan_of(8, Optimizer::adam, true, Precision::fp32)));
}

TEST_CASE("what a sharded update keeps is ZeRO-1's formula") {
  const Model model = load_model("resnet50");
  const auto parameters = double(model.parameters());
  const auto states = [&](const StepPlan& plan) {
    const MemoryUse use = memory_use(model, plan);
    return (use.weights + use.gradients + use.optimizer_state).value;
  };
  for (const auto& [optimizer, state] : kStateBytes) {
    CHECK_THAT(states(plan_of(64, optimizer, true)),
               Catch::Matchers::WithinRel((2 + 2 + (4 + state) / 64) * parameters, 1e-9));
    // Gathered in fp32, all weights are there in fp32 and in the format of the step.
    CHECK_THAT(states(plan_of(64, optimizer, true, Precision::fp32)),
               Catch::Matchers::WithinRel((4 + 2 + 2 + state / 64) * parameters, 1e-9));
    CHECK_THAT(states(plan_of(64, optimizer, false)),
               Catch::Matchers::WithinRel((4 + 2 + 2 + state) * parameters, 1e-9));
  }
}

TEST_CASE("cores that each hold the model each update it, unless the update is sharded over them too") {
  const Model model = load_model("resnet50");
  for (const int ranks : {1, 8}) {
    StepPlan plan = plan_of(ranks, Optimizer::lars, false);
    const double once = update_time(model, plan);
    plan.cores = 2;
    CHECK_THAT(update_time(model, plan) - once,
               Catch::Matchers::WithinRel(28 * double(model.parameters()) / kMemory, 1e-9));
  }
  StepPlan sharded = plan_of(8, Optimizer::lars, true);
  const double once = update_time(model, sharded);
  sharded.cores = 2;
  CHECK(update_time(model, sharded) == once);
}
