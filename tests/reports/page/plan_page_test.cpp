#include "reports/pages/pages.hpp"

#include <algorithm>

#include "catch.hpp"
#include "reports/renderers/renderers.hpp"

using namespace mlsim;
using namespace mlsim::test;
using namespace mlsim::reports;
using Catch::Matchers::ContainsSubstring;

namespace {

PlanCandidate candidate_on(const std::string& system, double time_h, double usd_h) {
  PlanCandidate c;
  c.system = system;
  c.accelerators = 8;
  c.global_batch = 256;
  c.time = hours(time_h);
  c.log_spread = 0.1;
  c.price = usd_per_hour(usd_h);
  return c;
}

// Two systems; the slower one is the cheaper.
CapacityPlan small_plan() {
  CapacityPlan plan;
  plan.workload = "bert";
  plan.goal.deadline = hours(4);
  plan.candidates = {candidate_on("quick", 1, 40), candidate_on("slow <b>", 3, 10)};
  plan.chosen = 1;
  plan.runner_up = 0;
  plan.front = {0, 1};
  plan.left_out = {{"none", "no price is known"}};
  plan.sensitivities = {{"8 accelerators more", Seconds(-60), Usd(2), {}}};
  plan.turning_points = {{"a deadline below 3.5 h", 0}};
  return plan;
}

std::string markdown_of(const CapacityPlan& plan) {
  return page_markdown(plan_report(plan, {}, {"mlsim plan", "mlsim"}));
}

}  // namespace

TEST_CASE("a plan's page says what to take, the runner-up, what would change it, and what is left out") {
  const std::string text = markdown_of(small_plan());
  CHECK_THAT(text, ContainsSubstring("Rent slow \\<b\\> with 8 accelerators") && ContainsSubstring("30.00 USD") &&
                       ContainsSubstring("**Runner-up**: quick") &&
                       ContainsSubstring("a deadline below 3.5 h: quick") && ContainsSubstring("8 accelerators more") &&
                       ContainsSubstring("no price is known"));
  CHECK(text.find("<b>") == std::string::npos);
}

TEST_CASE("a plan that nothing meets says so and still has its candidates") {
  CapacityPlan plan = small_plan();
  plan.chosen.reset();
  plan.runner_up.reset();
  plan.quickest = 0;
  CHECK_THAT(markdown_of(plan),
             ContainsSubstring("No system meets this: bert within 4.00 h") && ContainsSubstring("**Quickest**: quick"));
}

TEST_CASE("a plan says one sentence of one fact on a terminal and in its report") {
  CapacityPlan plan = small_plan();
  plan.goal.deadline = hours(3.76);  // 0.992 of all runs
  const std::string text = page_text(plan_page(plan), {200}), report = markdown_of(plan);
  for (const char* sentence : {"with 8 accelerators, batch 256 (32 each): 2.00 h quicker",
                               "a deadline below 3.5 h: quick with 8 accelerators"}) {
    CHECK_THAT(text, ContainsSubstring(sentence));
    CHECK_THAT(report, ContainsSubstring(sentence));
  }
  CHECK_THAT(text, ContainsSubstring("Sure        99 % that it is met"));
  CHECK_THAT(report, ContainsSubstring("**Sure**: 99 % that it is met"));
}

TEST_CASE("a plan's sliders start at its goal, with prices of the systems in question alone") {
  CapacityPlan plan = small_plan();
  plan.candidates.push_back(candidate_on("never", 9, 90));
  const Page page = plan_report(plan, {}, {"mlsim plan", "mlsim"});
  for (const PageSection& section : page.sections) {
    for (const PageBlock& block : section.blocks) {
      const auto* sliders = std::get_if<PageSliders>(&block);
      if (sliders == nullptr) continue;
      CHECK(sliders->deadline == 4 * 3600);
      CHECK(sliders->systems == std::vector<std::string>{"slow <b>", "quick"});
    }
  }
}

TEST_CASE("a plan without any candidate is a page, too") {
  CapacityPlan plan;
  plan.workload = "bert";
  CHECK_THAT(markdown_of(plan), ContainsSubstring("No system meets this: bert"));
}
