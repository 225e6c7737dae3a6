// What --set says about the exchange of gradients, as it arrives in the step.
#include <algorithm>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "workloads/lowering/gradient_bucket.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Plan plan_of(Settings settings, const std::string& topology = "dgx1-v100:nodes=4", int accelerators = 32) {
  PredictRequest request;
  request.topology = topology;
  request.accelerators = accelerators;
  request.workload = "resnet50";
  request.batch_per_accelerator = 64;
  request.precision = Precision::fp32;
  request.options = options_of(settings);
  return make_plan(request);
}

std::vector<GradientBucket> buckets_of(const Settings& settings) {
  const Plan plan = plan_of(settings);
  return gradient_buckets(plan.part->sharded, plan.step);
}

Bytes sum(const std::vector<GradientBucket>& buckets) {
  Bytes bytes;
  for (const auto& bucket : buckets) bytes += bucket.bytes;
  return bytes;
}

std::string algorithm_of(const Settings& settings) {
  return lower_plan(plan_of(settings)).collectives.begin()->second.name();
}

}  // namespace

TEST_CASE("bucket sets the size of buckets and first_bucket that of the first") {
  const auto small = buckets_of({{"overlap", "on"}, {"bucket", "4 MiB"}});
  const auto large = buckets_of({{"overlap", "on"}, {"bucket", "50 MiB"}});
  CHECK(small.size() > large.size());
  CHECK(sum(small) == sum(large));
  const auto early = buckets_of({{"overlap", "on"}, {"bucket", "4 MiB"}, {"first_bucket", "1 KiB"}});
  CHECK(early.front().tensors.size() == 1);  // the classifier's bias, 4 kB
  const auto late = buckets_of({{"overlap", "on"}, {"bucket", "4 MiB"}, {"first_bucket", "20 MiB"}});
  CHECK(late.front().bytes >= mebibytes(20));
  CHECK(late[1].bytes < late.front().bytes);
}

TEST_CASE("buckets of tuned software hold 40 million parameters, or a million a data rank") {
  const auto least = [](int nodes, const std::string& stack) {
    PredictRequest request;
    request.topology = "dgx-h100:nodes=" + std::to_string(nodes);
    request.workload = "nemotron-4-15b";
    request.global_batch = 4 * nodes;  // four samples a tensor group, one at a time
    request.precision = Precision::bf16;
    request.parallelism = "tensor=8";
    request.options = options_of({{"stack", stack}, {"accumulation", "4"}});
    const Plan plan = make_plan(request);
    std::vector<GradientBucket> buckets = gradient_buckets(plan.part->sharded, plan.step);
    // Norms are summed over tensor ranks too, in buckets of their own, and the last bucket takes what is left over.
    std::erase_if(buckets, [](const GradientBucket& bucket) { return bucket.axes.has(Axis::tensor); });
    buckets.pop_back();
    const auto smaller = [](const auto& a, const auto& b) { return a.parameters < b.parameters; };
    return std::min_element(buckets.begin(), buckets.end(), smaller)->parameters;
  };
  CHECK(least(8, "megatron") >= 40'000'000);
  CHECK(least(8, "megatron") < 128'000'000);
  CHECK(least(128, "megatron") >= 128'000'000);
  CHECK(least(128, "pytorch") < 40'000'000);
}

TEST_CASE("half-width gradients halve what is exchanged") {
  const Bytes wide = sum(buckets_of({{"gradient_precision", "fp32"}}));
  CHECK(sum(buckets_of({{"gradient_precision", "fp16"}})) == wide / 2.0);
  CHECK(sum(buckets_of({{"gradient_precision", "bf16"}})) == wide / 2.0);
}

TEST_CASE("a forced algorithm is the one that runs") {
  CHECK(algorithm_of({{"algorithm", "hierarchical"}}) == "hierarchical");
  CHECK(algorithm_of({{"algorithm", "ring"}}) == "ring");
}

TEST_CASE("gradients of micro-batches add up and are exchanged once") {
  const auto exchanged = [](const Settings& settings) {
    const LoweredPlan lowered = lower_plan(plan_of(settings));
    Bytes bytes;
    for (const StepNode& node : *lowered.graph)
      if (node.kind == NodeKind::collective) bytes += node.payload * node.repeats;
    return bytes;
  };
  CHECK(exchanged({{"accumulation", "4"}}) == exchanged({}));
}

TEST_CASE("choice and protocol of NCCL arrive in the plan of the all-reduce") {
  const auto plan_with = [](const Settings& settings) {
    return lower_plan(plan_of(settings)).collectives.begin()->second;
  };
  const Bytes large(1e10);
  const Seconds usual = plan_with({}).time(large);
  CHECK(plan_with({{"choice", "quickest"}, {"protocol", "auto"}}).time(large) == usual);
  CHECK_THAT(plan_with({{"choice", "nccl"}}).provenance("").value.text, ContainsSubstring("NCCL would choose"));
  const auto by_rings = [&](const std::string& protocol) {
    return plan_with({{"algorithm", "hierarchical"}, {"protocol", protocol}}).time(large);
  };
  // LL reaches half of a link's rate; Simple is held back to what NCCL's structure takes.
  CHECK(by_rings("ll") / by_rings("simple") == Approx(2).epsilon(0.1));
  CHECK_THROWS_AS(lower_plan(plan_of({{"choice", "nccl"}}, "torus4x4", 16)), Infeasible);
}

TEST_CASE("the loss is scaled where GPUs train in fp16, unless the question says otherwise") {
  const auto scales = [](const std::string& topology, Precision precision, const Settings& settings = {}) {
    PredictRequest request;
    request.topology = topology;
    request.workload = "resnet50";
    request.batch_per_accelerator = 64;
    request.precision = precision;
    request.options = options_of(settings);
    return make_plan(request).step.guard.loss_scaling;
  };
  CHECK(scales("dgx1-v100", Precision::fp16));
  CHECK_FALSE(scales("dgx1-v100", Precision::fp32));
  CHECK_FALSE(scales("dgx-a100", Precision::bf16));
  CHECK_FALSE(scales("tpu-v3-8", Precision::bf16));
  CHECK_FALSE(scales("dgx1-v100", Precision::fp16, {{"loss_scaling", "off"}}));
  CHECK(scales("dgx1-v100", Precision::fp32, {{"loss_scaling", "on"}}));
}
