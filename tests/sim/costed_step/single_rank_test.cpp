#include "sim/costed_step/single_rank.hpp"

#include "catch.hpp"
#include "sim/plan/plan.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// Four accelerators with eight samples.
SingleRank alone(const std::string& parallelism, Recompute recompute = Recompute::off,
                 AttentionKernels attention = AttentionKernels::unfused) {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.workload = "bert-large";
  request.accelerators = 4;
  request.global_batch = 8;
  request.parallelism = parallelism;
  request.options.memory.recompute = recompute;
  request.options.software.attention = attention;
  const Plan plan = make_plan(request);
  const KernelCost kernels(plan.cluster->accelerator, plan.step.precision, {});
  return single_rank(plan.model, plan.step, plan.software.stack, kernels);
}

}  // namespace

TEST_CASE("one rank alone does the passes of its own samples, however many share them") {
  const SingleRank data = alone("data=4"), tensor = alone("data=2,tensor=2");
  CHECK(tensor.model_flop / data.model_flop == Approx(1).epsilon(0.01));  // both of two samples
  CHECK(tensor.time < data.time);                                         // at the rate of four
}

TEST_CASE("recompute takes time and counts no pass twice") {
  const SingleRank kept = alone("data=4"), again = alone("data=4", Recompute::full);
  const SingleRank scores = alone("data=4", Recompute::selective);
  CHECK(again.time > scores.time);
  CHECK(scores.time > kept.time);
  CHECK(again.model_flop == kept.model_flop);
  CHECK(scores.model_flop == kept.model_flop);
}

TEST_CASE("fused attention saves time and counts all pairs once") {
  const SingleRank unfused = alone("data=4"), flash = alone("data=4", Recompute::off, AttentionKernels::flash);
  CHECK(flash.time < unfused.time);
  CHECK(flash.model_flop == unfused.model_flop);
}
