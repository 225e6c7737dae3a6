#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kAlternatives = 10, kEffects = 5, kSystemsLeftOut = 8;

std::string goal_text(const CapacityPlan& plan) {
  const PlanGoal& goal = plan.goal;
  const auto priced = [](const PlanCandidate& c) { return c.price.has_value(); };
  const bool open = !goal.deadline && !goal.budget && !plan.candidates.empty();
  if (open && std::none_of(plan.candidates.begin(), plan.candidates.end(), priced))
    return fmt::format("at the least time x size, as no price is known: --price {}=... gives one",
                       plan.candidates.front().system);
  std::string text;
  if (goal.deadline) text = "within " + figure_text(*goal.deadline);
  if (goal.budget) text += (text.empty() ? "" : " and ") + ("under " + figure_text(*goal.budget));
  return text.empty() ? "at the least cost" : text + fmt::format(", {:.0f} % sure", 100 * goal.confidence);
}

// Writes "p4d with 16 accelerators, batch 448 (28 each), recompute=full".
std::string candidate_text(const PlanCandidate& c) {
  std::string text = fmt::format("{} with {}, batch {}", c.system, accelerator_count_text(c.accelerators),
                                 figure_text(c.global_batch));
  if (c.accelerators > 1) text += fmt::format(" ({:g} each)", c.global_batch / c.accelerators);
  return c.techniques.empty() ? text : text + ", " + c.techniques;
}

std::string difference_text(const PlanCandidate& other, const PlanCandidate& c) {
  std::string text = other.time < c.time ? fmt::format("{} quicker", figure_text(c.time - other.time))
                                         : fmt::format("{} slower", figure_text(other.time - c.time));
  if (other.cost() && c.cost()) {
    const double more = (*other.cost() - *c.cost()).value;
    text += fmt::format(", {} {}", figure_text(Usd(std::abs(more))), more > 0 ? "dearer" : "cheaper");
  }
  return text;
}

// Finds the largest size of a candidate's system.
int most_accelerators(const CapacityPlan& plan, const PlanCandidate& of) {
  int most = 0;
  for (const PlanCandidate& c : plan.candidates)
    if (c.system == of.system) most = std::max(most, c.accelerators);
  return most;
}

std::string knee_text(const CapacityPlan& plan, const PlanCandidate& knee, const PlanCandidate& c) {
  if (knee.accelerators == most_accelerators(plan, c))
    return fmt::format("none up to {}: time x cost still falls", accelerator_count_text(knee.accelerators));
  if (knee.accelerators == c.accelerators) return "this size: the least time x cost of this system";
  return fmt::format("at {} time x cost is least: {}", accelerator_count_text(knee.accelerators),
                     difference_text(knee, c));
}

std::string preemptible_text(const PreemptibleChoice& choice) {
  const std::string text = fmt::format("{} where nothing is preempted, {} on demand", figure_text(choice.cost),
                                       figure_text(choice.on_demand));
  return choice.break_even ? fmt::format("{}; above {:.3g} preemptions a machine and hour on demand is cheaper", text,
                                         *choice.break_even)
                           : text;
}

std::string measurement_text(const CapacityPlan& plan) {
  const MeasurementWorth& worth = *plan.measurement;
  const std::string text =
      fmt::format("a step timed on one node (mlsim calibrate, about half an hour) narrows {} to {}",
                  interval_text<Seconds>(worth.time), interval_text<Seconds>(worth.time_after));
  return plan.runner_up
             ? fmt::format("{}; it changes the choice with a probability of {}", text, chance_text(worth.may_change))
             : text;
}

// `PlanItems` builds the items of a section.
class PlanItems {
 public:
  explicit PlanItems(const CapacityPlan& plan) : plan_(plan) {}

  void add(const std::string& label, const std::string& text) { items_.items.push_back({label, text}); }
  // Adds an item below those of the same label, which is shown once.
  void add_more(std::string& label, const std::string& text) { add(std::exchange(label, ""), text); }
  const PlanCandidate& at(std::size_t index) const { return plan_.candidates[index]; }

  void add_choice() {
    const PlanCandidate& c = at(*plan_.chosen);
    const double share = plan_.goal.confidence;
    add("Rent", candidate_text(c));
    add("", fmt::format("{}, {}{}{}; {:.1f} of {:.0f} GiB of memory", c.precision, c.parallelism,
                        c.recipe.empty() ? "" : ", recipe ", c.recipe, c.memory / mebibytes(1024),
                        c.memory_capacity / mebibytes(1024)));
    add("Done in", fmt::format("{}; {} or less in {:.0f} % of all runs", figure_text(c.time),
                               figure_text(c.time_within(share)), 100 * share));
    if (c.price)
      add("Bill",
          fmt::format("{}; {} or less in {:.0f} %; {} an hour", figure_text(*c.cost()),
                      figure_text(*c.cost_within(share)), 100 * share, figure_text(Usd(c.price->value * 3600))));
    if (plan_.prediction) add_basis(c);
    add_record(c);
    if (plan_.goal.deadline || plan_.goal.budget) add_sure(c);
  }

  void add_others() {
    const PlanCandidate& c = at(*plan_.chosen);
    if (plan_.trusted)
      add("Safer", fmt::format("{} ({}): {}", candidate_text(at(*plan_.trusted)), name(at(*plan_.trusted).trust),
                               difference_text(at(*plan_.trusted), c)));
    if (plan_.runner_up)
      add("Runner-up",
          fmt::format("{}: {}", candidate_text(at(*plan_.runner_up)), difference_text(at(*plan_.runner_up), c)));
    if (plan_.quickest && *plan_.quickest != *plan_.chosen && plan_.goal.budget)
      add("Quickest", fmt::format("within the budget: {}: {}", candidate_text(at(*plan_.quickest)),
                                  figure_text(at(*plan_.quickest).time)));
    if (plan_.knee) add("Knee", knee_text(plan_, at(*plan_.knee), c));
  }

  // Says what would meet the goal with more money or more time.
  void add_nearest() {
    const PlanGoal& goal = plan_.goal;
    add("No system", "meets this");
    if (goal.deadline && plan_.cheapest) {
      const PlanCandidate& c = at(*plan_.cheapest);
      const Usd cost = *c.cost_within(goal.confidence);
      add("More money", fmt::format("{} in time takes {} in {}{}", candidate_text(c), figure_text(cost), runs_text(),
                                    goal.budget ? fmt::format(", {} more", figure_text(cost - *goal.budget)) : ""));
    }
    if (goal.budget && plan_.quickest) {
      const PlanCandidate& c = at(*plan_.quickest);
      const Seconds time = c.time_within(goal.confidence);
      add("More time",
          fmt::format("{} within the budget takes {} in {}{}", candidate_text(c), figure_text(time), runs_text(),
                      goal.deadline ? fmt::format(", {} later", figure_text(time - *goal.deadline)) : ""));
    }
    if ((goal.deadline && !plan_.cheapest) || (goal.budget && !goal.deadline)) add_extremes();
  }

  PageItems items() { return std::move(items_); }

 private:
  // Names the quantile of what stands before it.
  std::string runs_text() const { return fmt::format("{:.0f} % of runs", 100 * plan_.goal.confidence); }

  void add_sure(const PlanCandidate& c) {
    const double chance = c.probability(plan_.goal);
    std::string text = fmt::format("{} that {}", chance_text(chance),
                                   plan_.goal.deadline && plan_.goal.budget ? "both are met" : "it is met");
    if (chance < plan_.goal.confidence) text += " by these figures; the published run did it";
    add("Sure", text);
  }

  void add_record(const PlanCandidate& c) {
    if (!c.record) return;
    const double low = c.time_within(0.05).value, high = c.time_within(0.95).value, took = c.record->time.value;
    add("Published",
        fmt::format("{} on this very system{}: predict --like {}", figure_text(c.record->time),
                    took < low || took > high ? ", outside the range, asked otherwise" : "", c.record->id));
  }

  void add_basis(const PlanCandidate& c) {
    for (const ProvenanceEntry& entry : plan_.prediction->provenance)
      if (entry.figure == "price") add("", fmt::format("{} [{}]", entry.value.text, name(entry.source.provenance)));
    add("Trust", fmt::format("{}: {}", name(c.trust), plan_.prediction->trust.why.text));
  }

  // Adds the quickest and the cheapest of all candidates.
  void add_extremes() {
    if (plan_.candidates.empty()) return;
    const double share = plan_.goal.confidence;
    const auto& quickest = *std::min_element(plan_.candidates.begin(), plan_.candidates.end(),
                                             [](const auto& a, const auto& b) { return a.time < b.time; });
    if (plan_.goal.deadline)
      add("Quickest",
          fmt::format("{}: {} in {}", candidate_text(quickest), figure_text(quickest.time_within(share)), runs_text()));
    if (!plan_.front.empty() && plan_.goal.budget && !plan_.quickest) {
      const PlanCandidate& cheapest = at(plan_.front.back());
      add("Cheapest", fmt::format("{}: {} in {}", candidate_text(cheapest), figure_text(*cheapest.cost_within(share)),
                                  runs_text()));
    }
  }

  const CapacityPlan& plan_;
  PageItems items_;
};

// A change is not worth a line if it saves less than a hundredth of the job; the JSON and the report's table have it.
void add_effects(PlanItems& items, const CapacityPlan& plan) {
  const Seconds whole = items.at(*plan.chosen).time;
  std::size_t shown = 0;
  std::string label = "What if";
  for (const Sensitivity& s : plan.sensitivities) {
    const bool small = s.worth && -s.time < 0.01 * whole;
    if (small || (s.worth && shown++ >= kEffects)) continue;
    std::string text = fmt::format("{}: {}", s.change, change_text(s.time, whole));
    if (s.cost) text += ", " + change_text(*s.cost);
    if (s.worth) text += fmt::format("; worth at most {}/h a node", figure_text(*s.worth));
    items.add_more(label, text);
  }
}

TableCells front_row(const CapacityPlan& plan, std::size_t index) {
  const PlanCandidate& c = plan.candidates[index];
  return {(plan.chosen == index ? "> " : "  ") + c.system,
          count_cell(c.accelerators),
          count_cell(c.global_batch),
          cell(c.time),
          cell(c.cost()),
          plan.goal.deadline || plan.goal.budget ? chance_text(c.probability(plan.goal)) : "",
          name(c.trust)};
}

}  // namespace

std::string chance_text(double share) {
  if (share >= 0.995) return "over 99 %";
  return share < 0.005 ? "under 1 %" : fmt::format("{:.0f} %", 100 * share);
}

std::string change_text(Seconds change, Seconds whole) {
  constexpr double kNothing = 1e-6;
  if (std::abs(change.value) < kNothing * whole.value) return "0 s";
  return (change < Seconds(0) ? "-" : "+") + figure_text(max(change, -change));
}

std::string change_text(Usd change) {
  constexpr double kNothing = 0.005;
  if (std::abs(change.value) < kNothing) return figure_text(Usd(0));
  return (change < Usd(0) ? "-" : "+") + figure_text(max(change, -change));
}

std::string plan_title(const CapacityPlan& plan) {
  return fmt::format("{}{} {}", plan.workload, plan.target.empty() ? "" : " to " + plan.target, goal_text(plan));
}

PageSection choice_section(const CapacityPlan& plan) {
  PlanItems items(plan);
  if (plan.chosen) {
    items.add_choice();
    items.add_others();
  } else {
    items.add_nearest();
  }
  return {"choice", "What to rent", {items.items()}};
}

PageSection front_section(const CapacityPlan& plan) {
  PageSection section{"front", "Neither quicker nor cheaper", {}};
  std::vector<std::size_t> rows = plan.front;
  if (plan.chosen && std::find(rows.begin(), rows.end(), *plan.chosen) == rows.end()) rows.push_back(*plan.chosen);
  if (rows.empty()) return section;
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return plan.candidates[a].time < plan.candidates[b].time; });
  Table table{"front",
              "Candidates that no other beats in both time and cost",
              {name_column("  system"),
               {"accelerators", "1"},
               {"batch", "1"},
               {"time", "s"},
               {"bill", "USD"},
               {"met", "1"},
               name_column("trust")}};
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i < kAlternatives || plan.chosen == rows[i]) table.rows.push_back(front_row(plan, rows[i]));
  section.blocks = {PageText{"None is both quicker and cheaper than one of these, by the median:"},
                    PageTable{std::move(table)}};
  if (rows.size() > kAlternatives)
    section.blocks.emplace_back(
        PageText{fmt::format("... and {} slower ones; --format json has all", rows.size() - kAlternatives)});
  return section;
}

PageSection change_section(const CapacityPlan& plan) {
  PageSection section{"changes-of-mind", "What would change the answer", {}};
  if (!plan.chosen) return section;
  PlanItems items(plan);
  add_effects(items, plan);
  std::string label = "Turns at";
  for (const TurningPoint& point : plan.turning_points)
    items.add_more(label, fmt::format("{}: {}", point.change, candidate_text(plan.candidates[point.candidate])));
  if (plan.preemptible) items.add("Preemptible", preemptible_text(*plan.preemptible));
  if (plan.measurement) items.add("Measuring", measurement_text(plan));
  if (PageItems all = items.items(); !all.items.empty()) section.blocks.emplace_back(std::move(all));
  return section;
}

PageSection left_out_section(const CapacityPlan& plan) {
  PageSection section{"left-out", "What is left out, and why", {}};
  PlanItems items(plan);
  std::string label = "Left out";
  std::size_t shown = 0, unpriced = 0;
  for (const LeftOut& system : plan.left_out) {
    if (system.reason == kNoPrice) {
      ++unpriced;
    } else if (++shown <= kSystemsLeftOut) {
      items.add_more(label, fmt::format("{}: {}", system.system, system.reason));
    }
  }
  if (shown > kSystemsLeftOut)
    items.add_more(label, fmt::format("and {} others; --format json has all", shown - kSystemsLeftOut));
  if (unpriced > 0) items.add_more(label, fmt::format("{} systems have no price on record", unpriced));
  if (PageItems all = items.items(); !all.items.empty()) section.blocks.emplace_back(std::move(all));
  return section;
}

}  // namespace mlsim::reports
