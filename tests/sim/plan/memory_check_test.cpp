#include "sim/plan/memory_check.hpp"

#include "catch.hpp"
#include "core/errors.hpp"
#include "topologies/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Plan plan_of(const std::string& system, const std::string& model, double batch) {
  Plan plan;
  plan.cluster = build_cluster(system);
  plan.model = load_model(model);
  plan.part = plan.model;
  plan.step.parallelism[Axis::data] = plan.cluster.ranks();
  plan.step.batch_per_accelerator = batch;
  plan.step.precision = Precision::fp16;
  plan.step.optimizer = Optimizer::adam;
  plan.step.gradient_element = Bytes(2);
  return plan;
}

}  // namespace

TEST_CASE("a plan that fits passes") { CHECK_NOTHROW(check_memory(plan_of("gce-v100", "resnet50", 64))); }

TEST_CASE("too large a batch names what takes most and the largest that fits") {
  const Plan plan = plan_of("gce-v100", "resnet50", 2000);
  const int most = largest_batch(plan.model, plan.step, plan.cluster.accelerator.memory.value);
  CHECK_THROWS_AS(check_memory(plan), Infeasible);
  CHECK_THROWS_WITH(check_memory(plan), ContainsSubstring("most of it activations") &&
                                            ContainsSubstring("at most " + std::to_string(most) + " fit") &&
                                            ContainsSubstring("global batch " + std::to_string(8 * most)));
}

TEST_CASE("where not one sample fits, recompute or a sharded update is offered if it helps") {
  Plan recompute = plan_of("gce-v100", "gpt2-xl:layers=24", 1);
  recompute.cluster.accelerator.memory.value = memory_use(recompute.model, recompute.step).total() * 0.95;
  CHECK_THROWS_WITH(check_memory(recompute), ContainsSubstring("\"recompute=full\""));
  Plan sharded = plan_of("gce-v100", "gpt2-xl", 1);
  sharded.step.recompute = true;
  sharded.cluster.accelerator.memory.value = memory_use(sharded.model, sharded.step).total() * 0.95;
  CHECK_THROWS_WITH(check_memory(sharded), ContainsSubstring("\"sharded_update=on\""));
}

TEST_CASE("what no setting makes fit is offered more ranks, or accelerators that hold it") {
  CHECK_THROWS_WITH(check_memory(plan_of("gce-v100", "gpipe-transformer", 1)),
                    ContainsSubstring("spread over 64 accelerators"));
  CHECK_THROWS_WITH(check_memory(plan_of("gce-v100", "gpt3-175b", 1)),
                    ContainsSubstring("--parallelism tensor=8,pipeline=32 would do on NVIDIA V100"));
}

TEST_CASE("the answer holds the parts of the memory, which make up the whole") {
  const Plan plan = plan_of("gce-v100", "bert-large", 4);
  const Prediction::Memory answer = memory_answer(plan);
  const auto& parts = answer.parts;
  const Bytes sum =
      parts.weights + parts.gradients + parts.optimizer_state + parts.activations + parts.workspace + parts.buffers;
  CHECK(sum.value == Approx(answer.per_accelerator.value));
  CHECK(parts.weights.value == Approx(6.0 * 336226108));  // fp32 and the fp16 copy
  CHECK(answer.capacity == plan.cluster.accelerator.memory.value);
  CHECK(answer.fits);
}
