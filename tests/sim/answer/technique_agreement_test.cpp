// Every scaling technique from the question to the answer: its fidelities agree, and no defect makes it quicker.
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/explain/explain.hpp"
#include "sim/options/options_text.hpp"
#include "tests/sim/answer/step_time.hpp"
#include "tests/sim/answer/technique_case.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

double with(PredictRequest request, const std::string& key, const std::string& value) {
  set_option(request.options, key, value);
  return predict(request).step.time.value;
}

}  // namespace

TEST_CASE("all fidelities agree for every technique", "[slow]") {
  for (const TechniqueCase& each : technique_cases()) {
    INFO(each.name);
    const PredictRequest request = request_of(each);
    const double folded = step_time(request, Fidelity::folded);
    CHECK(step_time(request, Fidelity::fluid) == Approx(folded).epsilon(1e-6));
    CHECK(step_time(request, Fidelity::closed) == Approx(folded).epsilon(each.closed));
    if (each.message == 0) {
      CHECK_THROWS_WITH(step_time(request, Fidelity::message), ContainsSubstring("--fidelity fluid is the finest"));
      continue;
    }
    const double message = step_time(request, Fidelity::message);
    // Message by message an all-to-all's requests to the NIC are left out.
    const bool has_all_to_all = each.name == "expert" || each.name == "embedding";
    CHECK(message >= folded * (1 - (has_all_to_all ? 0.02 : 1e-3)));
    CHECK(message <= folded * (1 + each.message));
  }
}

TEST_CASE("a slow rank makes no technique quicker, and folded and fluid still agree", "[sweep]") {
  for (const TechniqueCase& each : technique_cases()) {
    INFO(each.name);
    PredictRequest request = request_of(each);
    const double even = step_time(request, Fidelity::folded);
    set_option(request.options, "slow_rank", "1:0.5");
    const double slow = step_time(request, Fidelity::folded);
    CHECK(slow > even);
    CHECK(step_time(request, Fidelity::fluid) == Approx(slow).epsilon(1e-6));
    CHECK(with(request, "slow_rank", "1:0.25") > slow);
  }
}

TEST_CASE("a slow link makes no technique quicker") {
  for (const TechniqueCase& each : technique_cases()) {
    INFO(each.name);
    const PredictRequest request = request_of(each);
    const double even = step_time(request, Fidelity::folded);
    const double half = with(request, "slow_link", each.slow_link + ":0.5");
    CHECK(half >= even * (1 - 1e-9));
    CHECK(with(request, "slow_link", each.slow_link + ":0.005") > half);
  }
}

TEST_CASE("the parts of every technique's step are not negative and sum to it") {
  for (const TechniqueCase& each : technique_cases()) {
    INFO(each.name);
    const StepBreakdown step = predict(request_of(each)).step;
    const Seconds parts[] = {step.compute,    step.exposed_communication, step.optimizer,
                             step.input_wait, step.straggler_wait,        step.bubble,
                             step.overhead};
    Seconds sum;
    for (const Seconds part : parts) {
      CHECK(part >= Seconds(0));
      sum += part;
    }
    CHECK(sum.value == Approx(step.time.value).epsilon(1e-6));
    CHECK(step.communication.value >= step.exposed_communication.value * (1 - 1e-9));
    CHECK(step.communication >= step.all_to_all);
    CHECK((step.all_to_all > Seconds(0)) == (each.name == "expert" || each.name == "embedding"));
    CHECK((step.bubble > Seconds(0)) == (each.parallelism.find("pipeline") != std::string::npos));
  }
}

TEST_CASE("every technique's step can be explained") {
  for (const TechniqueCase& each : technique_cases()) {
    INFO(each.name);
    const Explanation explanation = explain(request_of(each));
    CHECK(explanation.step_time.value == Approx(step_time(request_of(each), Fidelity::folded)).epsilon(1e-9));
    for (const ResourceElasticity& lever : explanation.elasticities) {
      INFO(lever.resource);
      if (lever.resource == "batch")
        CHECK(lever.saved < 1e-9);  // 0 where the host holds the step up
      else
        CHECK(lever.saved > -1e-3);
    }
  }
}
