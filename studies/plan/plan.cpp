#include "studies/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "sim/answer/predict.hpp"
#include "sim/expert/settled_question.hpp"
#include "studies/plan/job_bill.hpp"
#include "studies/plan/plan_search.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::studies {
namespace {

using Candidates = std::vector<PlanCandidate>;
using Index = std::optional<std::size_t>;

// Finds the least by `figure` of the candidates that `fits`; those without a figure do not count.
Index least(const Candidates& candidates, const std::function<bool(const PlanCandidate&)>& fits,
            const std::function<std::optional<double>(const PlanCandidate&)>& figure) {
  Index best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto value = figure(candidates[i]);
    if (value && fits(candidates[i]) && (!best || *value < *figure(candidates[*best]))) best = i;
  }
  return best;
}

std::optional<double> time_of(const PlanCandidate& c) { return c.time.value; }
std::optional<double> cost_of(const PlanCandidate& c) {
  const auto cost = c.cost();
  return cost ? std::optional(cost->value) : std::nullopt;
}

using Filter = std::function<bool(const PlanCandidate&)>;

// Weighs what accelerators save against how many they are, where nothing has a price: time x time x accelerators.
std::optional<double> effort_of(const PlanCandidate& c) { return c.time.value * c.time.value * c.accelerators; }

// Chooses the cheapest that meets the goal, the quickest with a budget alone, and the knee where nothing has a price.
Index choice(const Candidates& candidates, const PlanGoal& goal, const Filter& counts = {}) {
  const auto meets = [&](const PlanCandidate& c) { return (!counts || counts(c)) && c.meets(goal); };
  if (goal.budget && !goal.deadline) return least(candidates, meets, time_of);
  const Index cheapest = least(candidates, meets, cost_of);
  return cheapest ? cheapest : least(candidates, meets, effort_of);
}

std::vector<std::size_t> front_of(const Candidates& candidates) {
  std::vector<std::optional<TimeAndCost>> points;
  for (const PlanCandidate& c : candidates)
    points.push_back(c.price ? std::optional(TimeAndCost{c.time.value, c.cost()->value}) : std::nullopt);
  return pareto_front(points);
}

Index knee_of(const Candidates& candidates, const std::string& system) {
  return least(
      candidates, [&](const PlanCandidate& c) { return c.system == system; },
      [](const PlanCandidate& c) {
        const auto cost = cost_of(c);
        return cost ? std::optional(*cost * c.time.value) : effort_of(c);
      });
}

// A turning point is where a little less of the goal, or a higher price, leads to another choice.
std::vector<TurningPoint> turning_points(const CapacityPlan& plan) {
  std::vector<TurningPoint> points;
  const PlanCandidate& now = plan.candidates[*plan.chosen];
  const double share = plan.goal.confidence;
  const auto add = [&](const std::string& change, const Index& other) {
    if (other && *other != *plan.chosen) points.push_back({change, *other});
  };
  constexpr double kBelow = 1 - 1e-9;
  if (plan.goal.deadline) {
    PlanGoal tighter = plan.goal;
    tighter.deadline = now.time_within(share) * kBelow;
    add(fmt::format("a deadline below {}", to_text(now.time_within(share))), choice(plan.candidates, tighter));
  }
  if (plan.goal.budget && now.price) {
    PlanGoal tighter = plan.goal;
    tighter.budget = *now.cost_within(share) * kBelow;
    add(fmt::format("a budget below {}", to_text(*now.cost_within(share))), choice(plan.candidates, tighter));
  }
  if (plan.runner_up && plan.candidates[*plan.runner_up].price && now.price &&
      !(plan.goal.budget && !plan.goal.deadline)) {
    const double factor = *plan.candidates[*plan.runner_up].cost() / *now.cost();
    add(fmt::format("{} above {} an hour, {:+.0f} %", now.system, to_text(Usd(now.price->value * 3600 * factor)),
                    100 * (factor - 1)),
        plan.runner_up);
  }
  return points;
}

// Says why no candidate of a system meets the goal; empty where one does.
std::string shortfall(const CapacityPlan& plan, const std::string& system) {
  const auto of_system = [&](const PlanCandidate& c) { return c.system == system; };
  for (const PlanCandidate& c : plan.candidates)
    if (of_system(c) && c.meets(plan.goal)) return "";
  const double share = plan.goal.confidence;
  PlanGoal deadline = plan.goal;
  deadline.budget.reset();
  const auto in_time = [&](const PlanCandidate& c) { return of_system(c) && c.meets(deadline); };
  if (const Index cheapest = least(plan.candidates, in_time, cost_of)) {
    const PlanCandidate& c = plan.candidates[*cheapest];
    return fmt::format("too dear: {} on {} accelerators in {:.0f} % of runs", to_text(*c.cost_within(share)),
                       c.accelerators, 100 * share);
  }
  const Index quickest = least(plan.candidates, of_system, time_of);
  const PlanCandidate& c = plan.candidates[*quickest];
  if (c.meets(deadline)) return kNoPrice;
  return fmt::format("too slow: {} on {} accelerators in {:.0f} % of runs", to_text(c.time_within(share)),
                     c.accelerators, 100 * share);
}

void add_shortfalls(CapacityPlan& plan) {
  std::string last;
  for (const PlanCandidate& candidate : plan.candidates) {
    if (candidate.system == std::exchange(last, candidate.system)) continue;
    if (std::string reason = shortfall(plan, candidate.system); !reason.empty())
      plan.left_out.push_back({candidate.system, std::move(reason)});
  }
}

// Names the candidate's system, and those on which as many accelerators take as long for as much: no other choice.
std::set<std::string> same_by_another_name(const Candidates& candidates, const PlanCandidate& one) {
  constexpr double kAlike = 1e-3;
  const auto alike = [](double a, double b) { return std::abs(a - b) <= kAlike * b; };
  std::set<std::string> same{one.system};
  for (const PlanCandidate& c : candidates) {
    const auto cost = cost_of(c), its = cost_of(one);
    const bool as_dear = cost && its ? alike(*cost, *its) : cost.has_value() == its.has_value();
    if (c.accelerators == one.accelerators && alike(c.time.value, one.time.value) && as_dear) same.insert(c.system);
  }
  return same;
}

void choose(CapacityPlan& plan) {
  PlanGoal deadline = plan.goal, budget = plan.goal;
  deadline.budget.reset();
  budget.deadline.reset();
  const auto meets = [](const PlanGoal& goal) { return [goal](const PlanCandidate& c) { return c.meets(goal); }; };
  plan.cheapest = least(plan.candidates, meets(deadline), cost_of);
  plan.quickest = least(plan.candidates, meets(budget), time_of);
  plan.front = front_of(plan.candidates);
  plan.chosen = choice(plan.candidates, plan.goal);
  if (!plan.chosen) return;
  const PlanCandidate& chosen = plan.candidates[*plan.chosen];
  const std::string& system = chosen.system;
  const std::set<std::string> same = same_by_another_name(plan.candidates, chosen);
  plan.runner_up = choice(plan.candidates, plan.goal, [&](const PlanCandidate& c) { return !same.contains(c.system); });
  if (chosen.trust == TrustLevel::weak)
    plan.trusted =
        choice(plan.candidates, plan.goal, [](const PlanCandidate& c) { return c.trust < TrustLevel::weak; });
  const auto of_system = [&](const PlanCandidate& c) { return c.system == system; };
  if (std::count_if(plan.candidates.begin(), plan.candidates.end(), of_system) > 1)
    plan.knee = knee_of(plan.candidates, system);
}

void look_closer(CapacityPlan& plan) {
  PlanCandidate& now = plan.candidates[*plan.chosen];
  plan.prediction = predict(now.request);
  plan.asked = now.request;
  now.request = settled(now.request).request;  // what follows asks for the same step of other machines and jobs
  plan.hosts = build_cluster(now.system, now.accelerators).hosts;
  plan.target = plan.prediction->inputs.target;
  plan.sensitivities = sensitivities(plan);
  plan.turning_points = turning_points(plan);
  plan.preemptible = preemptible_choice(plan);
  plan.measurement = measurement_worth(plan);
}

}  // namespace

CapacityPlan capacity_plan(const PlanQuestion& question, const KnownFigures& known) {
  PlanSearch search = plan_search(question, known);
  if (search.candidates.empty()) {
    const std::string first =
        search.left_out.empty() ? ""
                                : fmt::format(": {}: {}", search.left_out.back().system, search.left_out.back().reason);
    throw Infeasible(fmt::format("no system has an answer for {}{}", question.job.workload, first));
  }
  CapacityPlan plan;
  plan.goal = question.goal;
  plan.workload = question.job.workload;
  plan.candidates = std::move(search.candidates);
  plan.left_out = std::move(search.left_out);
  choose(plan);
  add_shortfalls(plan);
  if (plan.chosen) look_closer(plan);
  return plan;
}

}  // namespace mlsim::studies
