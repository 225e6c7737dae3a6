#include "calibrate/measure_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

PlanChoices logistic_regression() {
  PlanChoices choices;
  choices.steps = {{"logreg-epsilon", 128, Precision::fp32, true}};
  choices.threads = {1};
  choices.grid = false;
  return choices;
}

std::set<std::string> subjects(const MeasurePlan& plan) {
  std::set<std::string> names;
  for (const auto& each : plan.measurements) names.insert(each.order.subject);
  return names;
}

}  // namespace

TEST_CASE("the kernels of a step are planned once each, with how often it runs them") {
  const auto kernels = step_kernels({{"resnet20-cifar", 128, Precision::fp32, true}}, assumed_processor(1));
  std::set<KernelKey> keys;
  double shares = 0;
  for (const auto& kernel : kernels) {
    CHECK(keys.insert(kernel.work.key).second);
    shares += kernel.share;
  }
  CHECK(shares == Approx(1));
  // Six of the seven 3x3 convolutions of 16 channels on 32 x 32 end in a batch normalisation like the first.
  const auto widest = parse_kernel_key("conv_forward fp32 128 16 32 32 16 3 1");
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.work.key == widest; });
  REQUIRE(found != kernels.end());
  CHECK(found->runs == 6);
}

TEST_CASE("a plan measures each subject for every number of threads and state of the caches") {
  PlanChoices choices = logistic_regression();
  const std::size_t once = measure_plan(choices).measurements.size();
  choices.threads = {1, 2};
  choices.caches = {Cache::cold, Cache::hot};
  CHECK(measure_plan(choices).measurements.size() == 4 * once);
  choices.probes = {"copy fp32 1024"};
  CHECK(measure_plan(choices).measurements.size() == 4 * once + 2);
}

TEST_CASE("only the kernel that reads the batch first is measured with a fresh one") {
  PlanChoices choices = logistic_regression();
  choices.caches = {Cache::hot, Cache::fresh};
  std::set<std::string> fresh;
  for (const auto& each : measure_plan(choices).measurements)
    if (each.order.cache == Cache::fresh) fresh.insert(each.order.subject);
  CHECK(fresh == std::set<std::string>{"kernel dense_forward fp32 128 2000 1"});
}

TEST_CASE("a plan without states measures each kernel as its step finds it") {
  PlanChoices choices = logistic_regression();
  choices.caches.clear();
  choices.last_level = mebibytes(32);
  std::map<Cache, int> states;
  for (const auto& each : measure_plan(choices).measurements) ++states[each.order.cache];
  CHECK(states[Cache::fresh] == 1);
  CHECK(states[Cache::hot] == int(measure_plan(choices).measurements.size()) - 1);
  choices.last_level = mebibytes(1);  // the step moves two
  for (const auto& each : measure_plan(choices).measurements) CHECK(each.order.cache == Cache::cold);
}

TEST_CASE("what two workloads share is measured once") {
  PlanChoices choices = logistic_regression();
  const auto once = subjects(measure_plan(choices));
  choices.steps.push_back(choices.steps.front());
  CHECK(subjects(measure_plan(choices)) == once);
  CHECK(measure_plan(choices).measurements.size() == once.size());
}

TEST_CASE("the seed sets the order and nothing else; the grid comes last") {
  PlanChoices choices = logistic_regression();
  choices.grid = true;
  const MeasurePlan plan = measure_plan(choices);
  choices.seed = 2;
  const MeasurePlan other = measure_plan(choices);
  CHECK(plan.identity() != other.identity());
  CHECK(subjects(plan) == subjects(other));
  choices.seed = 1;
  CHECK(plan.identity() == measure_plan(choices).identity());
  const auto in_step = [](const PlannedMeasurement& each) { return !each.workload.empty(); };
  CHECK(std::is_partitioned(plan.measurements.begin(), plan.measurements.end(), in_step));
}

TEST_CASE("the grid has four or more kernels of each class that a law is fitted to") {
  for (const KernelDevice device : {KernelDevice::cpu, KernelDevice::cuda}) {
    std::map<KernelOp, int> count;
    const auto keys = kernel_grid(device, Precision::fp32);
    for (const auto& key : keys) ++count[key.op];
    CHECK(std::set<KernelKey>(keys.begin(), keys.end()).size() == keys.size());
    for (const KernelOp op : {KernelOp::matmul, KernelOp::conv_forward, KernelOp::conv_input_gradient,
                              KernelOp::conv_weight_gradient, KernelOp::elementwise, KernelOp::optimizer})
      CHECK(count[op] >= 4);
  }
}

TEST_CASE("a measurement costs its time limit or its fewest samples, whichever is more") {
  PlannedMeasurement measurement;
  measurement.order.rule = {0.02, 10, 1000, Seconds(1)};
  measurement.expected = milliseconds(1);
  const Seconds quick = cost(measurement);
  CHECK(quick > Seconds(1));
  measurement.expected = Seconds(2);
  CHECK(cost(measurement) - quick == Seconds(19));
  // Kernels that cuDNN compiles are longer in the making; their twins are there.
  measurement.expected = milliseconds(1);
  measurement.order.subject = "probe conv_statistics fused fp16 64 64 56 56 64 3 1";
  CHECK(cost(measurement) > quick + Seconds(5));
  measurement.order.subject = "probe conv_statistics unfused fp16 64 64 56 56 64 3 1";
  CHECK(cost(measurement) == quick);
}

TEST_CASE("an unknown workload is refused with the nearest") {
  PlanChoices choices = logistic_regression();
  choices.steps.front().workload = "logreg-epsilom";
  CHECK_THROWS_WITH(measure_plan(choices), Catch::Matchers::ContainsSubstring("logreg-epsilon"));
}
