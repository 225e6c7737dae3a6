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
