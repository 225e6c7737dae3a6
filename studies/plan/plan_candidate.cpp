#include "studies/plan/plan_candidate.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "core/quantile.hpp"

namespace mlsim::studies {
namespace {

double normal_below(double z) { return boost::math::cdf(boost::math::normal(), z); }
double normal_at(double share) { return boost::math::quantile(boost::math::normal(), share); }

}  // namespace

Seconds PlanCandidate::time_within(double share) const { return time * std::exp(normal_at(share) * log_spread); }

Usd PlanCandidate::bill(Seconds clock) const { return *price * billed_time(billing, clock + beyond_clock); }

std::optional<Usd> PlanCandidate::cost_within(double share) const {
  return price ? std::optional(bill(time_within(share))) : std::nullopt;
}

double PlanCandidate::probability(const PlanGoal& goal) const {
  if (goal.budget && !price) return 0;
  std::optional<Seconds> longest = goal.deadline;
  if (goal.budget && price->value > 0) {
    const Seconds affordable = held_time_for(billing, *goal.budget / *price) - beyond_clock;
    longest = longest ? std::min(*longest, affordable) : affordable;
  }
  if (!longest) return 1;
  if (!(*longest > Seconds(0))) return 0;
  if (!(log_spread > 0)) return time <= *longest ? 1 : 0;
  return normal_below(std::log(*longest / time) / log_spread);
}

std::optional<PlanCandidate> candidate_of(const QuestionText& question, const SweepRow& row, Billing billing) {
  const auto time = number_in(row, "time_to_target_s");
  const auto p5 = number_in(row, "time_to_target_p5_s"), p95 = number_in(row, "time_to_target_p95_s");
  if (!time || !p5 || !p95) return std::nullopt;
  const auto number = [&](const char* column) { return number_in(row, column).value_or(0); };
  PlanCandidate candidate;
  candidate.question = question;
  candidate.system = question.topology;
  candidate.accelerators = static_cast<int>(number("used_accelerators"));
  candidate.global_batch = number("used_global_batch");
  candidate.parallelism = text_in(row, "used_parallelism");
  candidate.precision = text_in(row, "used_precision");
  candidate.recipe = text_in(row, "used_recipe");
  candidate.trust = parse<TrustLevel>(text_in(row, "trust"));
  candidate.time = Seconds(*time);
  candidate.log_spread = std::log(*p95 / *p5) / (2 * kNormal95);
  if (const auto price = number_in(row, "price_usd_per_s")) candidate.price = UsdPerSecond(*price);
  candidate.beyond_clock = Seconds(number("held_s")) - candidate.time;
  candidate.billing = billing;
  candidate.memory = Bytes(number("memory_bytes"));
  candidate.memory_capacity = Bytes(number("memory_capacity_bytes"));
  candidate.throughput = PerSecond(number("throughput_per_s"));
  candidate.step_time = Seconds(number("step_time_s"));
  candidate.scaling_efficiency = number("scaling_efficiency");
  return candidate;
}

}  // namespace mlsim::studies
