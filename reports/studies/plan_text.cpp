#include "reports/studies/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text/units_text.hpp"
#include "reports/figure_text.hpp"
#include "reports/text_table.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kLabel = 14;
constexpr std::size_t kAlternatives = 10, kEffects = 5, kSystemsLeftOut = 8;

std::string whole_percent(double share) {
  if (share >= 0.995) return "over 99 %";
  return share < 0.005 ? "under 1 %" : fmt::format("{:.0f} %", 100 * share);
}

std::string goal_text(const PlanGoal& goal) {
  if (!goal.deadline && !goal.budget) return goal_words(goal);
  return goal_words(goal) + fmt::format(", {:.0f} % sure", 100 * goal.confidence);
}

// "p4d, 16 accelerators, batch 448 (28 each), recompute=full"
std::string candidate_text(const PlanCandidate& c) {
  std::string text = fmt::format("{} with {} accelerator{}, batch {}", c.system, figure_text(double(c.accelerators)),
                                 c.accelerators == 1 ? "" : "s", figure_text(c.global_batch));
  if (c.accelerators > 1) text += fmt::format(" ({:g} each)", c.global_batch / c.accelerators);
  return c.techniques.empty() ? text : text + ", " + c.techniques;
}

class PlanPage {
 public:
  explicit PlanPage(const CapacityPlan& plan) : plan_(plan) {}

  std::string text() {
    page_ = fmt::format("{}{} {}\n\n", plan_.workload, plan_.target.empty() ? "" : " to " + plan_.target,
                        goal_text(plan_.goal));
    if (plan_.chosen)
      answer();
    else
      nearest();
    alternatives();
    if (plan_.chosen) {
      effects();
      changes();
    }
    left_out();
    return page_;
  }

 private:
  void item(const std::string& label, const std::string& text) {
    page_ += labelled_text(padded("  " + label, kLabel), text, kLabel);
  }

  const PlanCandidate& at(std::size_t index) const { return plan_.candidates[index]; }

  void answer() {
    const PlanCandidate& c = at(*plan_.chosen);
    const double share = plan_.goal.confidence;
    item("Rent", candidate_text(c));
    item("", fmt::format("{}, {}, recipe {}; {:.1f} of {:.0f} GiB of memory", c.precision, c.parallelism, c.recipe,
                         c.memory / mebibytes(1024), c.memory_capacity / mebibytes(1024)));
    item("Done in", fmt::format("{}; {} or less in {:.0f} % of all runs", figure_text(c.time),
                                figure_text(c.time_within(share)), 100 * share));
    if (c.price)
      item("Bill",
           fmt::format("{}; {} or less in {:.0f} %; {} an hour", figure_text(*c.cost()),
                       figure_text(*c.cost_within(share)), 100 * share, figure_text(Usd(c.price->value * 3600))));
    for (const ProvenanceEntry& entry : plan_.prediction->provenance)
      if (entry.figure == "price") item("", fmt::format("{} [{}]", entry.value.text, name(entry.source.provenance)));
    item("Trust", fmt::format("{}: {}", name(c.trust), plan_.prediction->trust.why.text));
    if (plan_.goal.deadline || plan_.goal.budget)
      item("Sure", fmt::format("{} that {}", whole_percent(c.probability(plan_.goal)),
                               plan_.goal.deadline && plan_.goal.budget ? "both are met" : "it is met"));
    if (plan_.trusted)
      item("Safer", fmt::format("{} ({}): {}", candidate_text(at(*plan_.trusted)), name(at(*plan_.trusted).trust),
                                difference(at(*plan_.trusted), c)));
    if (plan_.runner_up) item("Runner-up", runner_up_text(at(*plan_.runner_up), c));
    if (plan_.quickest && *plan_.quickest != *plan_.chosen && plan_.goal.budget)
      item("Quickest", fmt::format("within the budget: {}: {}", candidate_text(at(*plan_.quickest)),
                                   figure_text(at(*plan_.quickest).time)));
    if (plan_.knee) item("Knee", knee_text(at(*plan_.knee), c));
    page_ += "\n";
  }

  static std::string difference(const PlanCandidate& other, const PlanCandidate& c) {
    std::string text = other.time < c.time ? fmt::format("{} quicker", figure_text(c.time - other.time))
                                           : fmt::format("{} slower", figure_text(other.time - c.time));
    if (other.cost() && c.cost()) {
      const double more = (*other.cost() - *c.cost()).value;
      text += fmt::format(", {} {}", figure_text(Usd(std::abs(more))), more > 0 ? "dearer" : "cheaper");
    }
    return text;
  }

  static std::string runner_up_text(const PlanCandidate& other, const PlanCandidate& c) {
    return fmt::format("{}: {}", candidate_text(other), difference(other, c));
  }

  static std::string knee_text(const PlanCandidate& knee, const PlanCandidate& c) {
    if (knee.accelerators == c.accelerators) return "this size: the least time x cost of this system";
    return fmt::format("at {} accelerators time x cost is least: {}", figure_text(double(knee.accelerators)),
                       difference(knee, c));
  }

  // Nothing meets the goal.
  void nearest() {
    const PlanGoal& goal = plan_.goal;
    const double share = goal.confidence;
    item("No system", "meets this");
    if (goal.deadline && plan_.cheapest) {
      const PlanCandidate& c = at(*plan_.cheapest);
      const Usd cost = *c.cost_within(share);
      item("More money", fmt::format("{} in time takes {}{}", candidate_text(c), figure_text(cost),
                                     goal.budget ? fmt::format(", {} more", figure_text(cost - *goal.budget)) : ""));
    }
    if (goal.budget && plan_.quickest) {
      const PlanCandidate& c = at(*plan_.quickest);
      const Seconds time = c.time_within(share);
      item("More time",
           fmt::format("{} within the budget takes {}{}", candidate_text(c), figure_text(time),
                       goal.deadline ? fmt::format(", {} later", figure_text(time - *goal.deadline)) : ""));
    }
    if ((goal.deadline && !plan_.cheapest) || (goal.budget && !goal.deadline)) least_off();
    page_ += "\n";
  }

  // The quickest and the cheapest of all.
  void least_off() {
    const double share = plan_.goal.confidence;
    const auto time = [&](const PlanCandidate& a, const PlanCandidate& b) { return a.time < b.time; };
    const auto& quickest = *std::min_element(plan_.candidates.begin(), plan_.candidates.end(), time);
    if (plan_.goal.deadline)
      item("Quickest", fmt::format("{}: {}", candidate_text(quickest), figure_text(quickest.time_within(share))));
    if (!plan_.front.empty() && plan_.goal.budget && !plan_.quickest) {
      const PlanCandidate& cheapest = at(plan_.front.back());
      item("Cheapest", fmt::format("{}: {}", candidate_text(cheapest), figure_text(*cheapest.cost_within(share))));
    }
  }

  // The front of time and cost about the choice.
  void alternatives() {
    std::vector<std::size_t> rows = plan_.front;
    if (plan_.chosen && std::find(rows.begin(), rows.end(), *plan_.chosen) == rows.end()) rows.push_back(*plan_.chosen);
    if (rows.empty()) return;
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return at(a).time < at(b).time; });
    TextTable table{{{"  None both quicker and cheaper", Align::left, true},
                     {"accelerators", Align::right, true},
                     {"batch", Align::right, true},
                     {"time", Align::right, true},
                     {"bill", Align::right, true},
                     {"met", Align::right, true},
                     {"trust", Align::left, true}},
                    {}};
    std::size_t shown = 0;
    for (const std::size_t i : rows) {
      const PlanCandidate& c = at(i);
      const bool is_chosen = plan_.chosen && *plan_.chosen == i;
      if (++shown > kAlternatives && !is_chosen) continue;
      table.rows.push_back({(is_chosen ? "> " : "  ") + c.system, figure_text(double(c.accelerators)),
                            figure_text(c.global_batch), figure_text(c.time), c.price ? figure_text(*c.cost()) : "-",
                            plan_.goal.deadline || plan_.goal.budget ? whole_percent(c.probability(plan_.goal)) : "-",
                            std::string(name(c.trust))});
    }
    page_ += to_text(table);
    if (rows.size() > kAlternatives) page_ += fmt::format("  ... and {} slower ones\n", rows.size() - kAlternatives);
    page_ += "\n";
  }

  static std::string signed_time(Seconds time) {
    return (time < Seconds(0) ? "-" : "+") + figure_text(time < Seconds(0) ? -time : time);
  }
  static std::string signed_cost(Usd cost) {
    return (cost < Usd(0) ? "-" : "+") + figure_text(cost < Usd(0) ? -cost : cost);
  }

  void effects() {
    std::size_t shown = 0;
    std::string label = "What if";
    for (const Sensitivity& s : plan_.sensitivities) {
      // What saves less than a hundredth of the job is not worth a line; the JSON has it.
      const bool small = s.worth && -s.time < 0.01 * at(*plan_.chosen).time;
      if (small || (s.worth && shown++ >= kEffects)) continue;
      std::string text = fmt::format("{}: {}", s.change, signed_time(s.time));
      if (s.cost) text += ", " + signed_cost(*s.cost);
      if (s.worth) text += fmt::format("; worth at most {}/h a node", figure_text(*s.worth));
      item(std::exchange(label, ""), text);
    }
  }

  void changes() {
    for (const TurningPoint& point : plan_.turning_points)
      item(&point == &plan_.turning_points.front() ? "Turns at" : "",
           fmt::format("{}: {}", point.change, candidate_text(at(point.candidate))));
    if (plan_.preemptible) item("Preemptible", preemptible_text(*plan_.preemptible));
    if (plan_.measurement) item("Measuring", measurement_text(*plan_.measurement));
    page_ += "\n";
  }

  static std::string preemptible_text(const PreemptibleChoice& choice) {
    std::string text = fmt::format("{} where nothing is preempted, {} on demand", figure_text(choice.cost),
                                   figure_text(choice.on_demand));
    if (choice.break_even)
      text += fmt::format("; above {:.3g} preemptions a machine and hour on demand is cheaper", *choice.break_even);
    return text;
  }

  std::string measurement_text(const MeasurementWorth& worth) const {
    std::string text = fmt::format("a step timed on one node (mlsim calibrate, about half an hour) narrows {} to {}",
                                   interval_text<Seconds>(worth.time), interval_text<Seconds>(worth.time_after));
    if (plan_.runner_up)
      text += fmt::format("; it changes the choice with a probability of {}", whole_percent(worth.may_change));
    return text;
  }

  void left_out() {
    std::size_t shown = 0;
    for (const LeftOut& system : plan_.left_out) {
      if (system.reason == kNoPrice) continue;
      if (++shown > kSystemsLeftOut) continue;
      item(shown == 1 ? "Left out" : "", fmt::format("{}: {}", system.system, system.reason));
    }
    if (shown > kSystemsLeftOut) item("", fmt::format("and {} others; --format json has all", shown - kSystemsLeftOut));
    const auto unpriced = std::count_if(plan_.left_out.begin(), plan_.left_out.end(),
                                        [](const LeftOut& system) { return system.reason == kNoPrice; });
    if (unpriced > 0) item(shown == 0 ? "Left out" : "", fmt::format("{} systems have no price on record", unpriced));
  }

  const CapacityPlan& plan_;
  std::string page_;
};

}  // namespace

std::string goal_words(const PlanGoal& goal) {
  std::string text;
  if (goal.deadline) text = "within " + figure_text(*goal.deadline);
  if (goal.budget) text += (text.empty() ? "" : " and ") + ("under " + figure_text(*goal.budget));
  return text.empty() ? "at the least cost" : text;
}

std::string plan_text(const CapacityPlan& plan) { return PlanPage(plan).text(); }

}  // namespace mlsim::reports
