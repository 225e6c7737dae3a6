
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/plan/part_memory.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

AcceleratorSpec v100() { return build_cluster("gce-v100").accelerator; }

// Of eight ranks that hold the whole model.
StepPlan step_of(double batch) {
  StepPlan step;
  step.parallelism = data_parallel(8);
  step.batch_per_accelerator = batch;
  step.precision = Precision::fp16;
  step.optimizer = Optimizer::adam;
  step.gradient_element = Bytes(2);
  return step;
}

void check_fit(const std::string& workload, const StepPlan& step, const AcceleratorSpec& accelerator = v100()) {
  const Model model = load_model(workload);
  const ParallelismOptions options;
  check_memory({model, accelerator, options}, {model, {}}, step);
}

// Has 5 % less memory than the step takes.
AcceleratorSpec little_less(const std::string& workload, const StepPlan& step) {
  AcceleratorSpec accelerator = v100();
  accelerator.memory.value = memory_use(load_model(workload), step).total() * 0.95;
  return accelerator;
}

}  // namespace

TEST_CASE("a step that fits passes") { CHECK_NOTHROW(check_fit("resnet50", step_of(64))); }

TEST_CASE("too large a batch names what takes most and the largest that fits") {
  const StepPlan step = step_of(2000);
  const int most = largest_batch(load_model("resnet50"), step, v100().memory.value);
  CHECK_THROWS_AS(check_fit("resnet50", step), Infeasible);
  CHECK_THROWS_WITH(check_fit("resnet50", step), ContainsSubstring("most of it activations") &&
                                                     ContainsSubstring("at most " + std::to_string(most) + " fit") &&
                                                     ContainsSubstring("global batch " + std::to_string(8 * most)));
}

TEST_CASE("where not one sample fits, recompute or a sharded update is offered if it helps") {
  StepPlan step = step_of(1);
  const std::string half = "gpt2-xl:layers=24";
  CHECK_THROWS_WITH(check_fit(half, step, little_less(half, step)), ContainsSubstring("\"recompute=full\""));
  step.recompute = Recompute::full;
  CHECK_THROWS_WITH(check_fit("gpt2-xl", step, little_less("gpt2-xl", step)),
                    ContainsSubstring("\"sharding=optimizer\""));
}

TEST_CASE("what no setting makes fit is offered more ranks, or accelerators that hold it") {
  CHECK_THROWS_WITH(check_fit("gpipe-transformer", step_of(1)), ContainsSubstring("spread over 64 accelerators"));
  CHECK_THROWS_WITH(check_fit("gpt3-175b", step_of(1)),
                    ContainsSubstring("256 x v100-sxm2-16gb would do, with --parallelism tensor=8,pipeline=32"));
}
