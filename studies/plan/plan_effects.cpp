#include "studies/plan/plan_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/answer/predicted_step.hpp"
#include "sim/explain/explain.hpp"
#include "sim/options/options_text.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::studies {
namespace {

const PlanCandidate& chosen(const CapacityPlan& plan) { return plan.candidates[*plan.chosen]; }

Sensitivity of_resource(const ResourceElasticity& resource, const CapacityPlan& plan) {
  const PlanCandidate& now = chosen(plan);
  // Training takes as much less time as samples come quicker; evaluations and start-up stay.
  const Seconds train = plan.prediction->job->train;
  Sensitivity change{
      fmt::format("{} {}", resource.resource, resource.change), train / resource.throughput - train, {}, {}};
  if (!now.price) return change;
  const Usd before = now.bill(now.time), after = now.bill(now.time + change.time);
  change.cost = after - before;
  // The price of an hour may rise until the bill is what it was.
  const Seconds billed = after / *now.price;
  change.worth = (before - after) / (billed / hours(1)) / plan.hosts;
  return change;
}

Sensitivity of_size(const PlanCandidate& other, const PlanCandidate& now) {
  const int more = other.accelerators - now.accelerators;
  Sensitivity change{
      fmt::format("{} accelerators {}", std::abs(more), more > 0 ? "more" : "fewer"), other.time - now.time, {}, {}};
  if (other.cost() && now.cost()) change.cost = *other.cost() - *now.cost();
  return change;
}

// A measurement names its software: the question gets the stack of the chosen candidate, also where none was named.
PredictRequest with_software(PredictRequest request, const CapacityPlan& plan) {
  if (const std::string& stack = plan.prediction->inputs.stack; !stack.empty())
    set_option(request.options, "stack", stack);
  return request;
}

// The profile holds the step of the chosen candidate on one node, as a user's profile would who has measured it.
Profile measured_on_one_node(const CapacityPlan& plan) {
  const PlanCandidate& now = chosen(plan);
  PredictRequest node = now.request;
  node.accelerators = std::min(now.accelerators, build_cluster(now.system).ranks());
  node.batch_per_accelerator.reset();
  const double least = node.parallelism.empty() ? node.accelerators : 1;
  node.global_batch = std::max(least, std::round(now.global_batch * node.accelerators / now.accelerators));
  const Prediction step = predict(with_software(node, plan));
  Settings settings = step.inputs.settings;
  if (!node.parallelism.empty()) settings["parallelism"] = node.parallelism;
  Profile profile;
  profile.accelerator = step.inputs.accelerator;
  profile.machine = now.system;
  profile.anchors.push_back({{"measured-on-one-node",
                              step.inputs.topology,
                              node.accelerators,
                              step.inputs.workload,
                              step.inputs.precision,
                              step.inputs.global_batch,
                              step.throughput,
                              {Provenance::measured, "as if measured", ""}},
                             settings});
  return profile;
}

}  // namespace

std::vector<Sensitivity> sensitivities(const CapacityPlan& plan) {
  const PlanCandidate& now = chosen(plan);
  std::vector<Sensitivity> all;
  PredictRequest request = now.request;
  // A step has none of the options that concern the job.
  request.options.job = {};
  request.options.job.recipe = now.recipe;
  request.options.price = {};
  request.options.failures = {};
  for (const ResourceElasticity& resource : explain(request).elasticities)
    if (resource.resource != "batch") all.push_back(of_resource(resource, plan));
  for (const PlanCandidate& other : plan.candidates) {
    const bool next = other.accelerators == 2 * now.accelerators || 2 * other.accelerators == now.accelerators;
    if (other.system == now.system && next) all.push_back(of_size(other, now));
  }
  return all;
}

std::optional<PreemptibleChoice> preemptible_choice(const CapacityPlan& plan) {
  const PlanCandidate& now = chosen(plan);
  PredictRequest request = now.request;
  if (request.options.price.kind || !now.price) return std::nullopt;
  set_option(request.options, "price", "preemptible");
  try {
    const PredictedStep step(request);
    const auto cost_at = [&](double rate) {
      request.options.failures.preemptions_per_vm_hour = rate;
      try {
        const auto cost = step.prediction(request).cost;
        return cost ? cost->value : INFINITY;
      } catch (const Infeasible&) {
        return double{INFINITY};  // so often preempted that it never ends
      }
    };
    PreemptibleChoice choice{Usd(cost_at(0)), *now.cost(), {}};
    double low = 0, high = 3600;
    if (choice.cost >= choice.on_demand || cost_at(high) <= choice.on_demand.value) return choice;
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (cost_at(middle) < choice.on_demand.value ? low : high) = middle;
    }
    choice.break_even = low;
    return choice;
  } catch (const InputError&) {
    return std::nullopt;  // it has no such price
  }
}

std::optional<MeasurementWorth> measurement_worth(const CapacityPlan& plan) {
  const PlanCandidate& now = chosen(plan);
  PredictRequest more = now.request;
  std::vector<Profile> own;
  try {
    own.push_back(measured_on_one_node(plan));
  } catch (const Infeasible&) {
    return std::nullopt;  // one node does not hold its share of the job
  }
  own.insert(own.end(), more.own_profiles.begin(), more.own_profiles.end());
  more.own_profiles = std::move(own);
  const Prediction after = predict(with_software(more, plan));
  const auto& before = plan.prediction->interval.time_to_target;
  if (!before || !after.interval.time_to_target) return std::nullopt;
  MeasurementWorth worth{*before, *after.interval.time_to_target, 0};
  if (!plan.runner_up) return worth;
  // The measurement may find what it takes away of the spread; it finds the runner-up to be the better choice where
  // this job takes longer by more than the runner-up costs more.
  const PlanCandidate& other = plan.candidates[*plan.runner_up];
  const double spread_after =
      std::log(worth.time_after[1] / worth.time_after[0]) / std::log(worth.time[1] / worth.time[0]);
  const double found = now.log_spread * std::sqrt(std::max(0.0, 1 - spread_after * spread_after));
  const double lead =
      now.cost() && other.cost() ? std::log(*other.cost() / *now.cost()) : std::log(other.time / now.time);
  if (found > 0) worth.may_change = boost::math::cdf(boost::math::normal(), -lead / found);
  return worth;
}

}  // namespace mlsim::studies
