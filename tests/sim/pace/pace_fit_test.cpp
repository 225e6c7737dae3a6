#include "sim/pace/run_pace.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

Plan small_plan() {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.workload = "resnet20-cifar";
  request.batch_per_accelerator = 64;
  return make_plan(request);
}

}  // namespace

TEST_CASE("at the pace that a measured step gives the step takes what was measured") {
  const Plan plan = small_plan();
  const KernelCost kernels(plan.cluster->accelerator, plan.step.precision, {});
  const LoweredPlan lowered = lower_plan(plan);
  const StepCost step(lowered, step_terms(plan), kernels.at({1, 0.25}));
  const Seconds slow = step.nominal_time() * 2;
  CHECK(step.nominal_time({solve_kernel_speed(step, slow), 0.25}) / slow == Approx(1).epsilon(1e-6));
  CHECK(step.nominal_time({1, solve_contention(step, 1, slow)}) / slow == Approx(1).epsilon(1e-6));
  CHECK(solve_kernel_speed(step, Seconds(0)) == 1000);
}
