#include "studies/plan/plan_candidate.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "core/quantile.hpp"
#include "sim/job/job_clock.hpp"

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

bool PlanCandidate::record_meets(const PlanGoal& goal) const {
  if (!record || (goal.deadline && record->time > *goal.deadline)) return false;
  return !goal.budget || (price && bill(record->time) <= *goal.budget);
}

std::optional<PlanCandidate> candidate_of(const PredictRequest& request, const Prediction& answer) {
  const auto& interval = answer.interval.time_to_target;
  if (!answer.job || !answer.time_to_target || !interval) return std::nullopt;
  PlanCandidate candidate;
  candidate.request = request;
  candidate.system = request.topology;
  candidate.accelerators = answer.inputs.accelerators;
  candidate.global_batch = answer.inputs.global_batch;
  candidate.parallelism = answer.inputs.parallelism;
  candidate.precision = name(answer.inputs.precision);
  candidate.workload = answer.inputs.workload;
  candidate.recipe = answer.inputs.recipe;
  candidate.target = answer.inputs.target;
  for (const NamedQuantity& quantity : answer.inputs.chosen.quantities)
    if (quantity.name == "layout") candidate.techniques = quantity.text;
  candidate.trust = answer.trust.level;
  candidate.time = *answer.time_to_target;
  candidate.log_spread = std::log((*interval)[1] / (*interval)[0]) / (2 * kNormal95);
  candidate.price = answer.price;
  candidate.beyond_clock = held_time(*answer.job, candidate.time) - candidate.time;
  candidate.init = answer.job->init;
  candidate.billing = request.options.price.billing;
  candidate.memory = answer.memory.per_accelerator;
  candidate.memory_capacity = answer.memory.capacity;
  candidate.throughput = answer.throughput;
  candidate.step_time = answer.step.time;
  candidate.scaling_efficiency = answer.scaling_efficiency;
  return candidate;
}

}  // namespace mlsim::studies
