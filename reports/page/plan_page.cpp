#include "reports/page/plan_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/figure_text.hpp"
#include "reports/page/cost_section.hpp"
#include "reports/page/job_sections.hpp"
#include "reports/page/published_section.hpp"
#include "reports/page/scaling_section.hpp"
#include "reports/studies/plan_text.hpp"
#include "topologies/billing.hpp"

namespace mlsim::reports {
namespace {

constexpr double kLowEnd = 0.05, kHighEnd = 0.95;

std::string chance_text(double share) { return share > 0.99 ? "over 99 %" : percent_text(share); }

std::string candidate_words(const PlanCandidate& c) {
  const std::string techniques = c.techniques.empty() ? "" : ", " + c.techniques;
  return fmt::format("{} with {} and batch {}{}", c.system, accelerator_count_text(c.accelerators),
                     figure_text(c.global_batch), techniques);
}

std::string range_words(const PlanCandidate& c) {
  std::string text = fmt::format("{} ({})", figure_text(c.time),
                                 interval_text<Seconds>({c.time_within(kLowEnd).value, c.time_within(kHighEnd).value}));
  if (const auto cost = c.cost())
    text += fmt::format(", {} ({})", figure_text(*cost),
                        interval_text<Usd>({c.cost_within(kLowEnd)->value, c.cost_within(kHighEnd)->value}));
  return text;
}

std::string choice_sentence(const CapacityPlan& plan) {
  const std::string job = fmt::format("{}{}", plan.workload, plan.target.empty() ? "" : " to " + plan.target);
  if (!plan.chosen)
    return fmt::format("Nothing trains {} {} in {:.0f} % of runs.", job, goal_words(plan.goal),
                       100 * plan.goal.confidence);
  const PlanCandidate& chosen = plan.candidates[*plan.chosen];
  return fmt::format("For {} {} take {}: {}. It keeps that in {} of runs.", job, goal_words(plan.goal),
                     candidate_words(chosen), range_words(chosen), chance_text(chosen.probability(plan.goal)));
}

void add_other(std::vector<std::string>& answer, const CapacityPlan& plan, const std::string& what,
               const std::optional<std::size_t>& other) {
  if (!other || other == plan.chosen) return;
  const PlanCandidate& c = plan.candidates[*other];
  answer.push_back(fmt::format("{}: {}: {}.", what, candidate_words(c), range_words(c)));
}

PageCandidates plan_candidates(const CapacityPlan& plan) {
  PageCandidates candidates;
  for (const PlanCandidate& c : plan.candidates) {
    JobBill bill;
    bill.time = c.time;
    bill.time_range = {c.time_within(kLowEnd).value, c.time_within(kHighEnd).value};
    const auto billed = [&](double clock_s) { return billed_time(c.billing, Seconds(clock_s) + c.beyond_clock); };
    bill.billed = billed(c.time.value);
    bill.billed_range = {billed(bill.time_range[0]).value, billed(bill.time_range[1]).value};
    bill.price = c.price;
    candidates.push_back({fmt::format("{}, {} accelerators", c.system, c.accelerators), c.system,
                          static_cast<double>(c.accelerators), c.global_batch, bill});
  }
  return candidates;
}

std::vector<PageCell> plan_row(const PlanCandidate& c, const PlanGoal& goal) {
  return {word_cell(c.system),
          count_cell(c.accelerators),
          count_cell(c.global_batch),
          word_cell(c.parallelism),
          word_cell(c.techniques),
          cell(c.time),
          cell(c.time_within(goal.confidence)),
          cell(c.cost()),
          cell(c.cost_within(goal.confidence)),
          share_cell(c.probability(goal)),
          word_cell(std::string(name(c.trust))),
          c.memory_capacity.value > 0 ? share_cell(c.memory / c.memory_capacity) : PageCell{}};
}

std::string measurement_words(const MeasurementWorth& worth, bool other) {
  std::string text = fmt::format("A step measured on one node would narrow the time from {} to {}",
                                 interval_text<Seconds>(worth.time), interval_text<Seconds>(worth.time_after));
  if (other)
    text += fmt::format("; with a probability of {} the runner-up would be the better choice then",
                        percent_text(worth.may_change));
  return text + ".";
}

// The most probable first, of equals the cheapest.
PageSection goal_section(const CapacityPlan& plan) {
  PageSection section{"candidates", "Who meets the goal", {}};
  const std::string share = fmt::format("{:.0f} %", 100 * plan.goal.confidence);
  PageTable table{"goal",
                  "Candidates by the probability that they meet the goal",
                  {{"system"},
                   {"accelerators", "1"},
                   {"global batch", "1"},
                   {"parallelism"},
                   {"techniques"},
                   {"time", "s"},
                   {"time that " + share + " keep", "s"},
                   {"cost", "USD"},
                   {"cost that " + share + " keep", "USD"},
                   {"meets the goal", "share"},
                   {"trust"},
                   {"memory in use", "share"}}};
  std::vector<const PlanCandidate*> order;
  for (const PlanCandidate& c : plan.candidates) order.push_back(&c);
  std::stable_sort(order.begin(), order.end(), [&](const auto* a, const auto* b) {
    const double one = a->probability(plan.goal), other = b->probability(plan.goal);
    return one != other ? one > other : a->cost().value_or(Usd(1e300)) < b->cost().value_or(Usd(1e300));
  });
  for (const PlanCandidate* c : order) table.rows.push_back(plan_row(*c, plan.goal));
  section.blocks.emplace_back(PageTableBlock{std::move(table), true});
  return section;
}

// Signed; what is nothing beside the whole is nothing.
PageCell time_change(Seconds change, Seconds whole) {
  constexpr double kNothing = 1e-6;
  if (std::abs(change.value) < kNothing * whole.value) return {"0 s", 0};
  return {(change.value > 0 ? "+" : "") + figure_text(change), change.value};
}

PageCell cost_change(const std::optional<Usd>& change) {
  if (!change) return {};
  return {(change->value >= 0.005 ? "+" : "") + figure_text(*change), change->value};
}

PageTable sensitivity_table(const CapacityPlan& plan) {
  PageTable table{"changes",
                  "What a change of the chosen system does",
                  {{"change"}, {"time", "s"}, {"cost", "USD"}, {"worth at most, a node", "USD/h"}}};
  const Seconds whole = plan.chosen ? plan.candidates[*plan.chosen].time : Seconds(0);
  for (const Sensitivity& s : plan.sensitivities)
    table.rows.push_back({word_cell(s.change), time_change(s.time, whole), cost_change(s.cost),
                          s.worth ? cell(UsdPerSecond(s.worth->value / 3600)) : PageCell{}});
  return table;
}

PageSection change_section(const CapacityPlan& plan) {
  PageSection section{"changes-of-mind", "What would change the answer", {}};
  PageList points;
  for (const TurningPoint& point : plan.turning_points)
    points.items.push_back(fmt::format("{}: {}", point.change, candidate_words(plan.candidates[point.candidate])));
  if (!points.items.empty()) section.blocks.emplace_back(std::move(points));
  if (!plan.sensitivities.empty()) section.blocks.emplace_back(PageTableBlock{sensitivity_table(plan), false});
  if (const auto& choice = plan.preemptible)
    section.blocks.emplace_back(PageText{fmt::format(
        "On preemptible machines the job costs {} instead of {} while nothing preempts it; {}.",
        figure_text(choice->cost), figure_text(choice->on_demand),
        choice->break_even
            ? fmt::format("above {:.3g} preemptions a machine and hour on demand is cheaper", *choice->break_even)
            : "on demand is never cheaper")});
  if (const auto& worth = plan.measurement)
    section.blocks.emplace_back(PageText{measurement_words(*worth, plan.runner_up.has_value())});
  if (section.blocks.empty()) section.blocks.emplace_back(PageText{"Nothing that was looked at."});
  return section;
}

PageSection excluded_section(const CapacityPlan& plan) {
  PageSection section{"left-out", "What is left out, and why", {}};
  PageTable table{"left-out", "Systems and sizes that are no candidates", {{"system"}, {"reason"}}};
  for (const LeftOut& left : plan.left_out) table.rows.push_back({word_cell(left.system), word_cell(left.reason)});
  section.blocks.emplace_back(PageTableBlock{std::move(table), true});
  return section;
}

SliderStart slider_start(const CapacityPlan& plan) {
  SliderStart start{plan.goal.deadline.value_or(Seconds(0)), plan.goal.confidence, {}};
  if (start.deadline.value == 0)
    start.deadline = plan.candidates[plan.chosen.value_or(plan.front.empty() ? 0 : plan.front.front())].time_within(
        plan.goal.confidence);
  std::vector<std::size_t> named = plan.front;
  for (const auto& one : {plan.runner_up, plan.chosen})
    if (one) named.insert(named.begin(), *one);
  for (const std::size_t i : named) {
    const std::string& system = plan.candidates[i].system;
    const bool there = std::find(start.systems.begin(), start.systems.end(), system) != start.systems.end();
    if (!there && start.systems.size() < kPriceSliders) start.systems.push_back(system);
  }
  return start;
}

void add_chosen(ReportPage& page, const JobStudy& study) {
  page.sections.push_back(scaling_section(study.scaling));
  page.sections.back().heading = "How the chosen one scales";
  for (PageSection& section : step_sections(study)) page.sections.push_back(std::move(section));
  page.sections.push_back(published_section(study.comparable));
  page.sections.push_back(basis_section({{"the chosen one", study.answer.inputs.topology, &study.answer}}));
}

}  // namespace

ReportPage plan_page(const CapacityPlan& plan, const std::optional<JobStudy>& chosen, const PageOrigin& origin) {
  ReportPage page;
  page.title = fmt::format("{}: which system to take", plan.workload);
  page.made_by = origin.made_by;
  page.answer.push_back(choice_sentence(plan));
  if (plan.chosen && plan.prediction)
    page.answer.push_back(fmt::format("Trust in these figures: {}, {}.", name(plan.candidates[*plan.chosen].trust),
                                      plan.prediction->trust.why.text));
  add_other(page.answer, plan, "Safer, as about the same is on record", plan.trusted);
  add_other(page.answer, plan, "Runner-up", plan.runner_up);
  if (plan.goal.deadline) add_other(page.answer, plan, "Cheapest in time", plan.cheapest);
  if (plan.goal.budget || !plan.chosen)
    add_other(page.answer, plan, plan.goal.budget ? "Quickest within the budget" : "Quickest", plan.quickest);
  if (!plan.candidates.empty()) {
    const PageCandidates candidates = plan_candidates(plan);
    page.sections.push_back(cost_section(candidates));
    page.sections.push_back(goal_section(plan));
    page.sections.push_back(change_section(plan));
    page.sections.push_back(price_section(candidates, "candidate", slider_start(plan)));
  }
  if (!plan.left_out.empty()) page.sections.push_back(excluded_section(plan));
  if (chosen) add_chosen(page, *chosen);
  page.sections.push_back(repeat_section(origin, plan.prediction ? &*plan.prediction : nullptr));
  return page;
}

}  // namespace mlsim::reports
