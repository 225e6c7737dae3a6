#include "studies/plan/plan.hpp"

#include <algorithm>
#include <map>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "studies/known_figures.hpp"
#include "studies/plan/plan_search.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Three systems at the prices of 2020, up to 64 accelerators.
PlanQuestion bert_in_2020(std::optional<Seconds> deadline, std::optional<Usd> budget) {
  PlanQuestion question;
  question.job.workload = "bert";
  question.job.topology = "p4d,dgx1-v100,torus32x32";
  question.job.price_date = "2020-12";
  question.most_accelerators = 64;
  question.goal = {deadline, budget, 0.9};
  return question;
}

const PlanCandidate& chosen(const CapacityPlan& plan) {
  REQUIRE(plan.chosen);
  return plan.candidates[*plan.chosen];
}

}  // namespace

TEST_CASE("the choice is the cheapest that meets the goal, and predict says the same of it") {
  const CapacityPlan plan = capacity_plan(bert_in_2020(hours(2), Usd(500)), known());
  const PlanCandidate& best = chosen(plan);
  CHECK(best.probability(plan.goal) >= 0.9);
  for (const PlanCandidate& other : plan.candidates) {
    INFO(other.system << " " << other.accelerators);
    CHECK((!other.meets(plan.goal) || !(*other.cost() < *best.cost())));
  }
  const Prediction prediction = predict(best.request);
  CHECK(prediction.time_to_target->value == Approx(best.time.value));
  CHECK(prediction.cost->value == Approx(best.cost()->value));
  CHECK(prediction.memory.per_accelerator <= prediction.memory.capacity * (1 - kMemoryMargin));
  REQUIRE(plan.runner_up);
  CHECK(plan.candidates[*plan.runner_up].system != best.system);
}

TEST_CASE("less time costs no less, and more money buys no less speed", "[slow]") {
  Usd last(0);
  for (const double minutes : {240.0, 60.0, 20.0}) {
    const CapacityPlan plan = capacity_plan(bert_in_2020(Seconds(60 * minutes), {}), known());
    CHECK(*chosen(plan).cost() >= last);
    last = *chosen(plan).cost();
  }
  Seconds slowest(1e9);
  for (const double usd : {100.0, 200.0, 1000.0}) {
    const CapacityPlan plan = capacity_plan(bert_in_2020({}, Usd(usd)), known());
    CHECK(chosen(plan).time <= slowest);
    slowest = chosen(plan).time;
  }
}

TEST_CASE("no candidate of the front is beaten in both time and cost, and all others are", "[slow]") {
  const CapacityPlan plan = capacity_plan(bert_in_2020(hours(4), {}), known());
  REQUIRE(plan.front.size() > 2);
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const PlanCandidate& c = plan.candidates[i];
    const bool beaten = std::any_of(plan.candidates.begin(), plan.candidates.end(), [&](const PlanCandidate& other) {
      const bool as_good = other.time <= c.time && *other.cost() <= *c.cost();
      return as_good && (other.time < c.time || *other.cost() < *c.cost());
    });
    const bool in_front = std::find(plan.front.begin(), plan.front.end(), i) != plan.front.end();
    INFO(c.system << " " << c.accelerators);
    CHECK(in_front != beaten);
  }
}

TEST_CASE("where nothing meets the goal the plan knows what more money or time would do") {
  const CapacityPlan plan = capacity_plan(bert_in_2020(hours(4), Usd(1)), known());
  CHECK_FALSE(plan.chosen);
  REQUIRE(plan.cheapest);
  CHECK(plan.candidates[*plan.cheapest].time_within(0.9) <= hours(4));
  CHECK_FALSE(plan.quickest);
  REQUIRE(plan.left_out.size() == 3);
  for (const LeftOut& system : plan.left_out) CHECK_THAT(system.reason, ContainsSubstring("too dear"));
}

TEST_CASE("turning points lead to another choice when they are passed", "[slow]") {
  PlanQuestion question = bert_in_2020(hours(1), {});
  const CapacityPlan plan = capacity_plan(question, known());
  REQUIRE_FALSE(plan.turning_points.empty());
  const TurningPoint& first = plan.turning_points.front();
  CHECK_THAT(first.change, ContainsSubstring("a deadline below"));
  question.goal.deadline = chosen(plan).time_within(0.9) * 0.999;
  const PlanCandidate& then = plan.candidates[first.candidate];
  const PlanCandidate& asked = chosen(capacity_plan(question, known()));
  CHECK(asked.system == then.system);
  CHECK(asked.accelerators == then.accelerators);
}

TEST_CASE("twice of a resource never makes a job slower, and is worth what it saves", "[slow]") {
  const CapacityPlan plan = capacity_plan(bert_in_2020(hours(1), {}), known());
  const PlanCandidate& best = chosen(plan);
  REQUIRE_FALSE(plan.sensitivities.empty());
  for (const Sensitivity& change : plan.sensitivities) {
    if (!change.worth) continue;
    INFO(change.change);
    CHECK(change.time.value <= 1e-9);
    CHECK(change.cost->value <= 1e-9);
    // At the old price and the worth of all nodes the job costs what it did.
    const Seconds billed = (*best.cost() + *change.cost) / *best.price;
    const Usd then = (*best.price + plan.hosts * *change.worth / hours(1)) * billed;
    CHECK(then.value == Approx(best.cost()->value));
  }
}

TEST_CASE("on demand and preemptible cost the same at the break-even rate", "[slow]") {
  PlanQuestion rented = bert_in_2020(hours(4), {});
  rented.job.topology = "torus32x32";  // p4d has no preemptible price of then
  const CapacityPlan plan = capacity_plan(rented, known());
  REQUIRE(plan.preemptible);
  CHECK(plan.preemptible->cost < plan.preemptible->on_demand);
  REQUIRE(plan.preemptible->break_even);
  PredictRequest request = chosen(plan).request;
  request.options.price.kind = PriceKind::preemptible;
  request.options.failures.preemptions_per_vm_hour = *plan.preemptible->break_even;
  CHECK(predict(request).cost->value == Approx(plan.preemptible->on_demand.value).epsilon(1e-3));
}

TEST_CASE("what is trusted too little is left out where more is asked", "[slow]") {
  PlanQuestion question = bert_in_2020(hours(4), {});
  question.job.workload = "resnet50";
  question.job.topology = "torus32x32,mi300x-8";
  question.job.price_date = "";
  const CapacityPlan any = capacity_plan(question, known());
  REQUIRE(chosen(any).trust == TrustLevel::weak);
  REQUIRE(any.trusted);
  question.least_trust = TrustLevel::fair;
  const CapacityPlan fair = capacity_plan(question, known());
  CHECK(chosen(fair).system == any.candidates[*any.trusted].system);
  CHECK_FALSE(fair.trusted);
  REQUIRE(fair.left_out.size() == 1);
  CHECK_THAT(fair.left_out[0].reason, ContainsSubstring("trusted no better than weak"));
}

TEST_CASE("sizes double from the machine that is rented whole, up to the most and to the pod") {
  PlanQuestion question = bert_in_2020({}, {});
  question.job.topology = "p4d,torus32x32,gb200-nvl72";
  question.most_accelerators = 150;
  std::map<std::string, std::vector<int>> sizes;
  for (const SystemSize& size : plan_systems(question, {}).sizes) sizes[size.system].push_back(size.accelerators);
  using Sizes = std::vector<int>;
  CHECK(sizes["p4d"] == Sizes{8, 16, 32, 64, 128});  // a part of one costs as much as all of it
  CHECK(sizes["torus32x32"] == Sizes{4, 8, 16, 32, 64, 128});
  CHECK(sizes["gb200-nvl72"].back() == 144);
  question.job.topology = "p4d";
  question.job.accelerators = "3,5..10+5";
  CHECK(plan_systems(question, {}).sizes == std::vector<SystemSize>{{"p4d", 3}, {"p4d", 5}, {"p4d", 10}});
  question.job.accelerators = "8,many";
  CHECK_THROWS_AS(plan_systems(question, {}), InputError);
}

TEST_CASE("a measurement never widens the range") {
  const CapacityPlan plan = capacity_plan(bert_in_2020(hours(1), {}), known());
  REQUIRE(plan.measurement);
  const auto width = [](const Interval& i) { return i[1] / i[0]; };
  CHECK(width(plan.measurement->time_after) <= width(plan.measurement->time) * (1 + 1e-9));
  CHECK(plan.measurement->may_change >= 0);
  CHECK(plan.measurement->may_change <= 0.5);
}

TEST_CASE("a job whose length nobody knows is refused before a system is asked, with the words that tell it") {
  PlanQuestion question;
  const auto plan = [&](const char* workload) {
    question.job.workload = workload;
    return capacity_plan(question, known());
  };
  CHECK_THROWS_WITH(plan("llama3-8b"), ContainsSubstring("--set tokens=N says how long it trains"));
  CHECK_THROWS_WITH(plan("vgg16"), ContainsSubstring("--set epochs=N says how long it trains"));
  CHECK_THROWS_WITH(plan("all-reduce:payload=1MiB"), ContainsSubstring("a collective is no job"));
}

TEST_CASE("the same machine by another name is no runner-up") {
  PlanQuestion question;
  question.job.workload = "bert-large";
  question.job.topology = "mi300x-8,oci-bm.gpu.mi300x.8";
  question.job.accelerators = "8";
  CHECK_FALSE(capacity_plan(question, known()).runner_up);
  question.job.topology += ",dgx-h100";
  const CapacityPlan plan = capacity_plan(question, known());
  REQUIRE(plan.runner_up);
  const bool h100 = chosen(plan).system == "dgx-h100";
  CHECK((plan.candidates[*plan.runner_up].system == "dgx-h100") != h100);
}

TEST_CASE("a plan of what no system can hold is infeasible, and of a workload that nobody knows wrong") {
  PlanQuestion question = bert_in_2020(hours(1), {});
  question.job.batch_per_accelerator = "1000000";
  CHECK_THROWS_AS(capacity_plan(question, known()), Infeasible);
  question.job.workload = "brt";
  CHECK_THROWS_AS(capacity_plan(question, known()), InputError);
}
