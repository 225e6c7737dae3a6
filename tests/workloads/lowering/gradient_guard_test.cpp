// Loss scaling, clipping, and gradients that are gathered before their sum, against counts by hand.
#include "workloads/lowering/step_plan.hpp"

#include "catch.hpp"
#include "tests/workloads/lowering/node_named.hpp"
#include "workloads/lowering/data_parallel_plan.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

struct Bytewise {
  double update = 0, copies = 0, sums = 0;
  int copied = 0;
};

Bytewise guarded_bytes(const StepPlan& plan, const Model& model) {
  const StepGraph graph = lower(model, plan);
  Bytewise sum;
  for (StepVertex v = 0; v < graph.size(); ++v) {
    const StepNode& node = graph[v];
    const bool kernel = node.kind == NodeKind::kernel;
    if (kernel && node.part == StepPart::optimizer) sum.update += node.work->bytes.value;
    if (kernel && node.part == StepPart::gradient_exchange) {
      sum.copies += node.work->bytes.value;
      ++sum.copied;
    }
    if (node.name == "all-reduce gradient norm") sum.sums += node.payload.value;
  }
  return sum;
}

}  // namespace

TEST_CASE("clipping reads every gradient twice and writes it once, loss scaling too, both together share the norm") {
  const Model model = load_model("resnet20-cifar");
  const auto parameters = static_cast<double>(model.trainable_parameters());
  StepPlan plan = plan_of(4, 8);
  const double bare = guarded_bytes(plan, model).update;
  const auto added = [&](GradientGuard guard) {
    plan.guard = guard;
    return (guarded_bytes(plan, model).update - bare) / parameters;
  };
  CHECK(added({.clipping = true}) == Approx(12));
  CHECK(added({.loss_scaling = true}) == Approx(12));
  CHECK(added({.loss_scaling = true, .clipping = true}) == Approx(20));
}

TEST_CASE("ranks with a part of the gradients each add up their norms, others have it whole") {
  const Model model = load_model("resnet20-cifar");
  StepPlan plan = plan_of(4, 8);
  plan.guard.clipping = true;
  CHECK(guarded_bytes(plan, model).sums == 0);
  plan.sharding = StateSharding::optimizer;
  CHECK(guarded_bytes(plan, model).sums == 4);  // one number in fp32
}

TEST_CASE("without pipelining every tensor's gradient is copied to a buffer and back around its sum") {
  const Model model = load_model("resnet20-cifar");
  const auto parameters = static_cast<double>(model.trainable_parameters());
  StepPlan plan = plan_of(4, 8);
  CHECK(guarded_bytes(plan, model).copied == 0);
  plan.pipelined_summation = false;
  const Bytewise off = guarded_bytes(plan, model);
  CHECK(off.copied == 2 * model.gradient_tensors());
  CHECK(off.copies == Approx(2 * 8 * parameters));  // read and written, both ways
  plan.sharding = StateSharding::optimizer;         // the weights come back instead
  CHECK(guarded_bytes(plan, model).copied == 2 * model.gradient_tensors());
}
