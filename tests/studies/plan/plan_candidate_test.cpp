#include "studies/plan/plan_candidate.hpp"

#include <cmath>

#include "catch.hpp"
#include "core/quantile.hpp"
#include "sim/answer/predict.hpp"
#include "studies/known_figures.hpp"
#include "studies/question.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// An hour of median, 20 % of spread, 36 USD an hour, ten minutes besides the clock.
PlanCandidate hour_at_36() {
  PlanCandidate candidate;
  candidate.time = hours(1);
  candidate.log_spread = 0.2;
  candidate.price = UsdPerSecond(0.01);
  candidate.beyond_clock = Seconds(600);
  return candidate;
}

PlanGoal goal(std::optional<Seconds> deadline, std::optional<Usd> budget) { return {deadline, budget, 0.9}; }

}  // namespace

TEST_CASE("the time that a share of runs keeps below is a lognormal's") {
  const PlanCandidate candidate = hour_at_36();
  CHECK(candidate.time_within(0.5).value == Approx(3600));
  CHECK(candidate.time_within(0.95).value == Approx(3600 * std::exp(kNormal95 * 0.2)).epsilon(1e-4));
  CHECK(candidate.bill(hours(1)).value == Approx(42));
  CHECK(candidate.cost_within(0.5)->value == Approx(42));
}

TEST_CASE("the probability of a goal is that of the tighter of its two ends") {
  const PlanCandidate candidate = hour_at_36();
  CHECK(candidate.probability(goal({}, {})) == 1);
  CHECK(candidate.probability(goal(hours(1), {})) == Approx(0.5));
  CHECK(candidate.probability(goal({}, Usd(42))) == Approx(0.5));
  CHECK(candidate.probability(goal(hours(2), Usd(42))) == Approx(0.5));
  CHECK(candidate.probability(goal(hours(1), Usd(420))) == Approx(0.5));
  CHECK(candidate.probability(goal({}, Usd(6))) == 0);  // less than the start-up alone
  CHECK(candidate.probability(goal(candidate.time_within(0.9), {})) == Approx(0.9));
  CHECK(candidate.meets(goal(candidate.time_within(0.901), {})));
  CHECK_FALSE(candidate.meets(goal(candidate.time_within(0.899), {})));
}

TEST_CASE("a budget buys whole hours where hours are billed") {
  PlanCandidate candidate = hour_at_36();
  candidate.billing = Billing::hour;
  CHECK(candidate.bill(hours(1)).value == Approx(72));  // 70 minutes
  // 71 USD buy one hour, of which ten minutes are not the job's.
  CHECK(candidate.probability(goal({}, Usd(71))) == Approx(candidate.probability(goal(Seconds(3000), {}))));
  CHECK(candidate.probability(goal({}, Usd(35))) == 0);
}

TEST_CASE("nobody knows whether a system without a price meets a budget") {
  PlanCandidate candidate = hour_at_36();
  candidate.price.reset();
  CHECK(candidate.probability(goal(hours(100), {})) > 0.99);
  CHECK(candidate.probability(goal(hours(100), Usd(1e6))) == 0);
  CHECK_FALSE(candidate.cost());
}

TEST_CASE("a candidate has the time, the spread and the bill of the prediction that it is made of") {
  QuestionText question;
  question.topology = "dgx-a100";
  question.workload = "bert";
  const PredictRequest request = request_of(question, known());
  Prediction prediction = predict(request);
  const auto candidate = candidate_of(request, prediction);
  REQUIRE(candidate);
  CHECK(candidate->time == *prediction.time_to_target);
  CHECK(candidate->time_within(0.95).value == Approx((*prediction.interval.time_to_target)[1]).epsilon(1e-4));
  CHECK(candidate->time_within(0.05).value == Approx((*prediction.interval.time_to_target)[0]).epsilon(1e-4));
  CHECK(candidate->cost()->value == Approx(prediction.cost->value));
  CHECK(candidate->cost_within(0.95)->value == Approx((*prediction.interval.cost)[1]).epsilon(1e-3));
  prediction.job.reset();
  CHECK_FALSE(candidate_of(request, prediction));
}
