// The search of layouts: what is found fits, the quickest comes first, and what is told stays.
#include <algorithm>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/expert/settled_question.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/part_memory.hpp"
#include "sim/plan/plan.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

PredictRequest asked(const std::string& parallelism = "", const std::string& settings = "") {
  PredictRequest request;
  request.topology = "dgx-h100:nodes=8";
  request.workload = "llama-3-70b";
  request.global_batch = 128;
  request.precision = Precision::bf16;
  request.parallelism = parallelism;
  request.options = parse_options("attention=flash" + settings);
  return request;
}

}  // namespace

TEST_CASE("a model that an accelerator does not hold is laid out by a search, and the answer fits") {
  const SettledQuestion question = settled(asked());
  REQUIRE_FALSE(question.layouts.empty());
  CHECK(question.layouts.size() <= 5);
  CHECK(std::is_sorted(question.layouts.begin(), question.layouts.end(),
                       [](const LayoutChoice& a, const LayoutChoice& b) { return a.step_time < b.step_time; }));
  const Plan plan = make_plan(question.request);
  CHECK(plan.step.parallelism[Axis::tensor] > 1);
  CHECK(plan.global_batch() == 128);
  for (const LayoutChoice& each : question.layouts)
    CHECK(each.memory <= (1 - kMemoryMargin) * plan.cluster->accelerator.memory.value);
}

TEST_CASE("a searched question brings the step of the quickest layout") {
  const SettledQuestion question = settled(asked());
  REQUIRE(question.step != nullptr);
  CHECK(question.step->cost().nominal_time() == question.layouts.front().step_time);
  CHECK(question.step->cost().nominal_time() == costed_step(question.request).cost().nominal_time());
}

TEST_CASE("auto searches where the model would fit, too, and says nothing else where nothing is open") {
  PredictRequest small = asked("auto");
  small.workload = "llama-3-8b";
  CHECK_FALSE(settled(small).layouts.empty());
  CHECK(settled(asked("tensor=8,pipeline=8,micro_batch=1")).layouts.empty());
  PredictRequest plain = asked("auto");
  plain.as_is = true;
  CHECK_THROWS_WITH(settled(plain), ContainsSubstring("is a choice"));
}

TEST_CASE("what the question sets stays in every layout that is searched") {
  const SettledQuestion question = settled(asked("", ";recompute=full;sharding=none"));
  CHECK(question.request.options.memory.recompute == Recompute::full);
  CHECK(question.request.options.memory.sharding == StateSharding::none);
}

TEST_CASE("parameters that a slice does not hold are sharded over all slices, others in each") {
  PredictRequest request = asked();
  request.topology = "2xv6e-256";
  request.workload = "llama-3-405b";
  request.global_batch = 512;
  const PredictRequest large = settled(request).request;
  REQUIRE(large.options.memory.sharding_ranks);
  CHECK(large.options.memory.sharding_ranks->all);
  const StepPlan step = make_plan(large).step;
  CHECK(step.shards(StateSharding::parameters));
  CHECK(step.parallelism[Axis::replica] == 1);
  PredictRequest told = request;
  told.options = parse_options("attention=flash;sharding=parameters");
  CHECK(make_plan(settled(told).request).step.parallelism[Axis::replica] == 1);
  request.workload = "llama-3-70b";
  const Plan small = make_plan(settled(request).request);
  CHECK(small.step.parallelism[Axis::replica] == 2);
}

TEST_CASE("blocks that stages do not divide are laid out, too") {
  PredictRequest request = asked();
  request.topology = "dgx-h100:nodes=64";
  request.workload = "llama-3.1-405b";  // 126 blocks on 512 ranks
  request.global_batch = 1152;
  const SettledQuestion question = settled(request);
  REQUIRE_FALSE(question.layouts.empty());
  const Plan plan = make_plan(question.request);
  CHECK(plan.step.parallelism[Axis::pipeline] >= 8);
  CHECK(126 % plan.step.parallelism[Axis::pipeline] != 0);
}

TEST_CASE("a batch of less than a sample a rank is laid out over ranks that share samples; of no language model") {
  PredictRequest request = asked();
  request.workload = "llama-3-8b";
  request.global_batch = 16;  // on 64 ranks
  const Plan plan = make_plan(settled(request).request);
  CHECK(plan.global_batch() == 16);
  CHECK(plan.step.parallelism.batch_ranks() <= 16);
  request.workload = "resnet50";
  request.options = {};
  CHECK_THROWS_WITH(settled(request), ContainsSubstring("is less than one sample on each of 64"));
}

TEST_CASE("a batch and split that are told stay up to 5 % past the memory, then some blocks run again") {
  const auto question = [](const std::string& memory) {
    PredictRequest request = asked("tensor=8,pipeline=8,micro_batch=1");
    request.topology = "dgx-h100:nodes=8:memory=" + memory;
    return request;
  };
  PredictRequest plain = question("80GB");
  plain.as_is = true;
  const Plan plan = plan_of_any_size(plain);
  const double need = 80 * (part_memory(*plan.part, plan.step).total() / plan.cluster->accelerator.memory.value);
  const auto settled_on = [&](double gigabytes) {
    return settled(question(std::to_string(gigabytes) + "GB")).request.options.memory;
  };
  CHECK(settled_on(need / 1.04).recompute == Recompute::off);
  const MemoryOptions past = settled_on(need / 1.07);
  CHECK(past.recompute == Recompute::full);
  CHECK(past.recompute_blocks >= 1);
  CHECK(past.recompute_blocks < 10);  // of a stage's 10 blocks
}
