#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text/spelling.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

constexpr const char* kCandidates = "candidates";
constexpr std::size_t kPricesShown = 20;  // of the break-even table, which stays open

std::string id_of(const std::string& what, const std::string& job) {
  return job.empty() ? what : what + "-" + slug(job, {});
}
std::string titled(const std::string& what, const std::string& job) { return job.empty() ? what : what + ": " + job; }

std::vector<std::size_t> front_of(const PageCandidates& candidates) {
  std::vector<std::optional<JobBill>> bills;
  for (const PageCandidate& candidate : candidates) bills.emplace_back(candidate.bill);
  return cost_front(bills);
}

bool one_system(const PageCandidates& candidates) {
  return std::all_of(candidates.begin(), candidates.end(),
                     [&](const auto& c) { return c.system == candidates.front().system; });
}

TableCells candidate_row(const PageCandidate& c, bool front) {
  TableCells row{c.system, count_cell(c.accelerators), count_cell(c.global_batch), cell(c.bill.time)};
  add_range<Seconds>(row, c.bill.time_range);
  row.push_back(cell(c.bill.billed));
  add_range<Seconds>(row, c.bill.billed_range);
  row.push_back(cell(c.bill.price));
  row.push_back(cell(c.bill.cost()));
  row.push_back(front ? cell(c.bill.cost()) : TableCell{});
  return row;
}

// Candidates are listed the quickest first.
Table candidates_table(const PageCandidates& candidates, const std::string& job) {
  const auto front = front_of(candidates);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return candidates[a].bill.time < candidates[b].bill.time; });
  Table table = candidate_table(id_of(kCandidates, job), titled("Candidates by time and cost", job));
  for (const std::size_t i : order)
    table.rows.push_back(candidate_row(candidates[i], std::find(front.begin(), front.end(), i) != front.end()));
  return table;
}

std::string place_text(const PageCandidate& c, bool alone) {
  return fmt::format("{}{} and batch {} ({}, {})", alone ? "" : c.system + " with ",
                     accelerator_count_text(c.accelerators), count_cell(c.global_batch).text, cell(c.bill.time).text,
                     cell(c.bill.cost()).text);
}

std::string front_text(const PageCandidates& candidates, const std::vector<std::size_t>& front) {
  const bool alone = one_system(candidates);
  const std::string quickest = place_text(candidates[front.front()], alone);
  if (front.size() == 1) return fmt::format("{} is both the quickest and the cheapest.", quickest);
  return fmt::format(
      "{} of {} candidates are on the front: no other is both quicker and cheaper. It goes from the quickest, {}, to "
      "the "
      "cheapest, {}.",
      front.size(), candidates.size(), quickest, place_text(candidates[front.back()], alone));
}

PageChart cost_chart(const Table& table, const std::string& summary, bool alone, const std::string& job) {
  PageChart chart{id_of("cost", job),
                  titled("Time and cost of each candidate", job),
                  summary,
                  table.id,
                  table.column("time to target"),
                  {"time to target", "s", true},
                  {"cost", "USD", true},
                  {{"candidates", table.column("cost"), SeriesStyle::points},
                   {"front", table.column("cost on the front"), SeriesStyle::line}}};
  chart.label = {table.column("accelerators")};
  if (!alone) chart.label.insert(chart.label.begin(), table.column("system"));
  chart.named = true;
  return chart;
}

TableCells break_even_row(const PageCandidate& c, Usd least) {
  const UsdPerSecond even = c.bill.break_even(least);
  return {c.label, cell(c.bill.cost()), c.bill.price ? cell(*c.bill.price / c.accelerators) : TableCell{},
          cell(even / c.accelerators), c.bill.price ? share_cell(even / *c.bill.price) : TableCell{}};
}

Table break_even_table(const PageCandidates& candidates, const std::string& by) {
  Table table{"break-even",
              "Price at which each costs as much as the cheapest",
              {{by},
               {"cost", "USD"},
               {"price of one accelerator", "USD/h"},
               {"break-even price", "USD/h"},
               {"of its price", "share"}}};
  const auto front = front_of(candidates);
  if (front.empty()) return table;
  const Usd least = *candidates[front.back()].bill.cost();
  for (const PageCandidate& candidate : candidates) table.rows.push_back(break_even_row(candidate, least));
  return table;
}

}  // namespace

PageCandidates page_candidates(const PagePoints& points) {
  PageCandidates candidates;
  for (const PagePoint& point : points) {
    const auto& in = point.prediction->inputs;
    if (const auto bill = job_bill(*point.prediction))
      candidates.push_back({point.label, point.system, static_cast<double>(in.accelerators), in.global_batch, *bill});
  }
  return candidates;
}

SliderStart slider_start(const PageCandidates& candidates) {
  std::vector<std::size_t> front = front_of(candidates);
  if (front.empty()) front.push_back(0);
  SliderStart start{Seconds(candidates[front.back()].bill.time_range[1])};
  for (const std::size_t i : front) {
    const std::string& system = candidates[i].system;
    const bool there = std::find(start.systems.begin(), start.systems.end(), system) != start.systems.end();
    if (!there && start.systems.size() < kPriceSliders) start.systems.push_back(system);
  }
  return start;
}

PageSection cost_section(const PageCandidates& candidates, const std::string& job) {
  PageSection section{id_of("cost", job), titled("Time against cost", job), {}};
  if (candidates.empty()) {
    section.blocks.emplace_back(PageText{"No time to a target is known here, so nothing is billed for one."});
    return section;
  }
  Table table = candidates_table(candidates, job);
  if (const auto front = front_of(candidates); front.empty()) {
    section.blocks.emplace_back(PageText{"No price is on record here; the sliders below take one."});
  } else {
    const std::string text = front_text(candidates, front);
    section.blocks.emplace_back(PageText{text});
    section.blocks.emplace_back(cost_chart(table, text, one_system(candidates), job));
  }
  section.blocks.emplace_back(PageTable{std::move(table), true});
  return section;
}

PageSection price_section(const PageCandidates& candidates, const std::string& by, const SliderStart& start) {
  PageSection section{"prices", "At another price, deadline or batch", {}};
  if (candidates.empty()) {
    section.blocks.emplace_back(PageText{"Without a time to a target there is no price to break even at."});
    return section;
  }
  Table table = break_even_table(candidates, by);
  section.blocks.emplace_back(PageText{fmt::format(
      "The sliders choose among the candidates above, which were computed when this page was made; a cost is "
      "the price times what is billed. An end in time in {:.0f} % of runs is asked for.",
      100 * start.confidence)});
  section.blocks.emplace_back(
      PageSliders{"prices", kCandidates, start.deadline.value, start.confidence, start.systems});
  const bool folded = table.rows.size() > kPricesShown;
  if (!table.rows.empty()) section.blocks.emplace_back(PageTable{std::move(table), folded});
  return section;
}

}  // namespace mlsim::reports
