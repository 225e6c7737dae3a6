#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/figure_text.hpp"
#include "topologies/machine/bill.hpp"

namespace mlsim::reports {
namespace {

constexpr double kLowEnd = 0.05, kHighEnd = 0.95;

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

TableCells plan_row(const PlanCandidate& c, const PlanGoal& goal) {
  return {c.system,
          count_cell(c.accelerators),
          count_cell(c.global_batch),
          c.parallelism,
          c.techniques,
          cell(c.time),
          cell(c.time_within(goal.confidence)),
          cell(c.cost()),
          cell(c.cost_within(goal.confidence)),
          share_cell(c.probability(goal)),
          name(c.trust),
          c.memory_capacity.value > 0 ? share_cell(c.memory / c.memory_capacity) : TableCell{}};
}

// Candidates are listed the most probable first, of equals the cheapest.
PageSection goal_section(const CapacityPlan& plan) {
  PageSection section{"candidates", "Who meets the goal", {}};
  const std::string share = fmt::format("{:.0f} %", 100 * plan.goal.confidence);
  Table table{"goal",
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
  section.blocks.emplace_back(PageTable{std::move(table), true});
  return section;
}

Table sensitivity_table(const CapacityPlan& plan) {
  Table table{"changes",
              "What a change of the chosen system does",
              {{"change"}, {"time", "s"}, {"cost", "USD"}, {"worth at most, a node", "USD/h"}}};
  const Seconds whole = plan.chosen ? plan.candidates[*plan.chosen].time : Seconds(0);
  for (const Sensitivity& s : plan.sensitivities)
    table.rows.push_back({s.change,
                          {change_text(s.time, whole), s.time.value},
                          s.cost ? TableCell(change_text(*s.cost), s.cost->value) : TableCell{},
                          s.worth ? cell(UsdPerSecond(s.worth->value / 3600)) : TableCell{}});
  return table;
}

// The section has all changes, behind those that the terminal names.
PageSection all_changes_section(const CapacityPlan& plan) {
  PageSection section = change_section(plan);
  if (!plan.sensitivities.empty()) section.blocks.emplace_back(PageTable{sensitivity_table(plan), true});
  return section;
}

PageSection excluded_section(const CapacityPlan& plan) {
  PageSection section{"left-out", "What is left out, and why", {}};
  Table table{"left-out", "Systems and sizes that are no candidates", {{"system"}, {"reason"}}};
  for (const LeftOut& left : plan.left_out) table.rows.push_back({left.system, left.reason});
  section.blocks.emplace_back(PageTable{std::move(table), true});
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

void add_chosen(Page& page, const JobStudy& study) {
  page.sections.push_back(scaling_section(study.scaling));
  page.sections.back().heading = "How the chosen one scales";
  for (PageSection& section : step_sections(study)) page.sections.push_back(std::move(section));
  page.sections.push_back(published_section(study.comparable));
  page.sections.push_back(basis_section({{"the chosen one", study.answer.inputs.topology, &study.answer}}));
}

// The page's answer is made of the choice's items "Rent", "Done in" and "Bill".
std::string choice_sentence(const CapacityPlan& plan, const PageSection& choice) {
  if (!plan.chosen) return fmt::format("No system meets this: {}.", plan_title(plan));
  std::string text;
  for (const PageItem& item : std::get<PageItems>(choice.blocks.front()).items)
    for (const char* label : {"Rent", "Done in", "Bill"})
      if (item.label == label) text += fmt::format("{}{} {}.", text.empty() ? "" : " ", label, item.text);
  return text;
}

}  // namespace

Page plan_page(const CapacityPlan& plan) {
  Page page{plan_title(plan), {}, {choice_section(plan), front_section(plan)}, ""};
  for (PageSection& section : std::vector{change_section(plan), left_out_section(plan)})
    if (!section.blocks.empty()) page.sections.push_back(std::move(section));
  return page;
}

Page plan_report(const CapacityPlan& plan, const std::optional<JobStudy>& chosen, const PageOrigin& origin) {
  Page page{plan_title(plan), {}, {choice_section(plan)}, origin.made_by};
  page.answer.push_back(choice_sentence(plan, page.sections.front()));
  if (!plan.candidates.empty()) {
    const PageCandidates candidates = plan_candidates(plan);
    for (PageSection& section :
         std::vector{front_section(plan), cost_section(candidates), goal_section(plan), all_changes_section(plan)})
      if (!section.blocks.empty()) page.sections.push_back(std::move(section));
    page.sections.push_back(price_section(candidates, "candidate", slider_start(plan)));
  }
  if (!plan.left_out.empty()) page.sections.push_back(excluded_section(plan));
  if (chosen) add_chosen(page, *chosen);
  page.sections.push_back(repeat_section(origin, plan.prediction ? &*plan.prediction : nullptr));
  return page;
}

}  // namespace mlsim::reports
