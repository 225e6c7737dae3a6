#include "sim/step_cost/horovod.hpp"

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/options/options_text.hpp"
#include "workloads/lowering/gradient_bucket.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// When the last exchange ends if `time` is how long each bucket takes: one after the other, none before its cycle has
// agreed. c_b = max(start_b, c_(b-1)) + T_b.
Seconds last_exchange_end(const FusionTimeline& timeline, const std::vector<Seconds>& time) {
  Seconds end;
  for (std::size_t b = 0; b < timeline.buckets.size(); ++b)
    end = max(timeline.cycles[timeline.buckets[b].cycle].start, end) + time[b];
  return end;
}

Seconds no_agreement(int) { return Seconds(0); }

HorovodOptions options(double cycle, double buffer) {
  HorovodOptions result;
  result.cycle = Seconds(cycle);
  result.buffer = Bytes(buffer);
  return result;
}

PredictRequest horovod_request(const std::string& workload, const std::string& topology, int accelerators, int batch) {
  PredictRequest request;
  request.workload = workload;
  request.topology = topology;
  request.accelerators = accelerators;
  request.batch_per_accelerator = batch;
  request.options = options_of({{"exchange", "horovod"}});
  return request;
}

}  // namespace

TEST_CASE("a gradient is seen by the first cycle that begins when it is ready or later") {
  const std::vector<ReadyTensor> tensors{
      {Bytes(1), Seconds(0.2)}, {Bytes(1), Seconds(1)}, {Bytes(1), Seconds(1.5)}, {Bytes(1), Seconds(4.1)}};
  const auto timeline = fuse_by_cycles(tensors, options(1, 100), no_agreement);
  REQUIRE(timeline.buckets.size() == 3);
  CHECK(timeline.buckets[0].tensors == std::vector<int>{0, 1});
  CHECK(timeline.buckets[1].tensors == std::vector<int>{2});
  CHECK(timeline.cycles[0].tick == Seconds(1));
  CHECK(timeline.cycles[1].tick == Seconds(2));
  CHECK(timeline.cycles[2].tick == Seconds(5));
}

TEST_CASE("a cycle fuses what fits into the buffer, in the order in which it was ready") {
  const std::vector<ReadyTensor> tensors{
      {Bytes(60), Seconds(0.3)}, {Bytes(30), Seconds(0.1)}, {Bytes(20), Seconds(0.2)}, {Bytes(500), Seconds(0.4)}};
  const auto timeline = fuse_by_cycles(tensors, options(1, 100), no_agreement);
  REQUIRE(timeline.buckets.size() == 3);
  CHECK(timeline.buckets[0].tensors == std::vector<int>{1, 2});
  CHECK(timeline.buckets[1].tensors == std::vector<int>{0});
  CHECK(timeline.buckets[2].tensors == std::vector<int>{3});  // larger than the buffer: alone
  CHECK(fuse_by_cycles(tensors, options(1, 0), no_agreement).buckets.size() == 4);
}

TEST_CASE("an agreement that outlasts its cycle puts the next one off") {
  const std::vector<ReadyTensor> tensors{{Bytes(1), Seconds(0.5)}, {Bytes(1), Seconds(1.5)}};
  const auto slow = [](int count) { return Seconds(count == 0 ? 0.1 : 1.7); };
  const auto timeline = fuse_by_cycles(tensors, options(1, 100), slow);
  CHECK(timeline.cycles[0].start == Seconds(2.7));
  CHECK(timeline.cycles[1].tick == Seconds(2.7));
  CHECK(timeline.cycles[1].start.value == Approx(4.4));
}

// c_b = max(start_b, c_(b-1)) + T_b: 1 + 3 = 4, then 4 + 1 = 5, then 7 + 2 = 9.
TEST_CASE("exchanges follow one another and none starts before its cycle") {
  const std::vector<ReadyTensor> tensors{{Bytes(1), Seconds(0.5)}, {Bytes(1), Seconds(1.5)}, {Bytes(1), Seconds(6.5)}};
  const auto timeline = fuse_by_cycles(tensors, options(1, 100), no_agreement);
  CHECK(last_exchange_end(timeline, {Seconds(3), Seconds(1), Seconds(2)}) == Seconds(9));
}

TEST_CASE("without cached responses the coordinator pays for every rank and request") {
  const Plan small = make_plan(horovod_request("resnet50", "dgx1-v100:nodes=16", 32, 64));
  const Plan large = make_plan(horovod_request("resnet50", "dgx1-v100:nodes=16", 128, 64));
  HorovodOptions uncached;
  uncached.cache = false;
  const auto agreement = [](const Plan& plan, const HorovodOptions& options, int tensors) {
    return agreement_time(*plan.cluster, plan.efficiency, options, tensors);
  };
  const auto coordinator = [&](const Plan& plan, int tensors) {
    return (agreement(plan, uncached, tensors) - agreement(plan, uncached, 0)).value;
  };
  CHECK(coordinator(small, 100) == Approx(31 * 100e-6));
  CHECK(coordinator(large, 100) == Approx(127 * 100e-6));
  // Cached: bits only, ceil(log2 N) messages whatever the tensors.
  const HorovodOptions cached;
  CHECK(agreement(large, cached, 100) == agreement(large, cached, 0));
  CHECK(agreement(large, cached, 0) / agreement(small, cached, 0) == Approx(7.0 / 5));
}

TEST_CASE("every gradient is in one bucket, and ready in the order of the backward pass") {
  const auto request = horovod_request("resnet50", "dgx1-v100:nodes=4", 32, 64);
  const Plan plan = make_plan(request);
  const KernelCost cost(plan.cluster->accelerator, plan.step.precision, {});
  const auto tensors = ready_tensors(plan, cost);
  REQUIRE(tensors.size() == 161);
  CHECK(std::is_sorted(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.ready < b.ready; }));
  StepPlan cycled = plan.step;
  cycled.cycles = horovod_cycles(plan, cost);
  std::size_t count = 0;
  Bytes bytes;
  for (const auto& bucket : gradient_buckets(plan.part->sharded, cycled)) {
    count += bucket.tensors.size();
    bytes += bucket.bytes;
    if (bucket.tensors.size() > 1) CHECK(bucket.bytes <= mebibytes(64));
  }
  CHECK(count == 161);
  CHECK(bytes == plan.step.gradient_element * 25557032.0);
}

// The background loop by hand against the simulated step: readiness, cycles, copies and exchanges as they are costed.
TEST_CASE("the simulated step ends when the background loop in closed form says") {
  for (const double cycle : {0.001, 0.005, 0.02}) {
    auto request = horovod_request("vgg16", "dgx1-v100:nodes=4", 32, 32);
    set_option(request.options, "horovod_cycle", std::to_string(cycle * 1e3) + " ms");
    const Plan plan = make_plan(request);
    const KernelCost cost(plan.cluster->accelerator, plan.step.precision, {});
    const CostedStep step(plan, lower_plan(plan, horovod_cycles(plan, cost)), cost, {}, {});
    const StepInputs inputs = step.inputs(Fidelity::folded);
    const StepOutcome outcome = simulate_step(inputs);

    const HorovodOptions& options = request.options.exchange.horovod;
    const auto tensors = ready_tensors(plan, cost);
    const FusionTimeline timeline = fuse_by_cycles(
        tensors, options, [&](int count) { return agreement_time(*plan.cluster, plan.efficiency, options, count); });
    std::vector<Seconds> time(timeline.buckets.size());
    Seconds update;
    for (std::size_t v = 0; v < inputs.duration.size(); ++v) {
      const StepNode& node = (*step.lowered().graph)[v];
      if (node.part == StepPart::optimizer) update += inputs.duration[v];
      if (node.stream == Stream::communication)  // "all-reduce gradients 3", "into fusion buffer 3"
        time[std::stoul(node.name.substr(node.name.rfind(' ')))] += inputs.duration[v];
    }
    const Seconds end = last_exchange_end(timeline, time) + update;
    CHECK(outcome.time.value == Approx(end.value).epsilon(0.02));
  }
}

TEST_CASE("Horovod is refused where it does not run") {
  auto request = horovod_request("resnet50", "torus4x4", 16, 32);
  CHECK_THROWS_WITH(make_plan(request), ContainsSubstring("exchange=buckets works"));
  request.topology = "dgx1-v100";
  request.accelerators = 8;
  request.parallelism = "data=4,spatial=2";
  CHECK_THROWS_AS(make_plan(request), Infeasible);
}

TEST_CASE("shorter cycles fuse less and longer ones hold gradients up") {
  auto request = horovod_request("resnet50", "horovod-25gbe", 64, 64);
  const auto buckets = [&](const std::string& cycle) {
    set_option(request.options, "horovod_cycle", cycle);
    const Plan plan = make_plan(request);
    const KernelCost cost(plan.cluster->accelerator, plan.step.precision, {});
    return horovod_cycles(plan, cost).cycle_of_bucket.size();
  };
  CHECK(buckets("1 ms") > buckets("5 ms"));
  CHECK(buckets("5 ms") > buckets("100 ms"));
}
