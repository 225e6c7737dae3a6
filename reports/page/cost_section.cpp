#include "reports/page/cost_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "studies/job_bill.hpp"

namespace mlsim::reports {
namespace {

constexpr const char* kCandidates = "candidates";

std::vector<std::optional<JobBill>> bills_of(const PagePoints& points) {
  std::vector<std::optional<JobBill>> bills;
  for (const PagePoint& point : points) bills.push_back(job_bill(*point.prediction));
  return bills;
}

std::vector<PageCell> candidate_row(const PagePoint& point, const JobBill& bill, bool front) {
  std::vector<PageCell> row{word_cell(point.system), count_cell(point.prediction->inputs.accelerators),
                            count_cell(point.prediction->inputs.global_batch), cell(bill.time)};
  add_range<Seconds>(row, bill.time_range);
  row.push_back(cell(bill.billed));
  add_range<Seconds>(row, bill.billed_range);
  row.push_back(cell(bill.price));
  row.push_back(cell(bill.cost()));
  row.push_back(front ? cell(bill.cost()) : PageCell{});
  return row;
}

bool one_system(const PagePoints& points) {
  return std::all_of(points.begin(), points.end(), [&](const auto& p) { return p.system == points.front().system; });
}

// The quickest first.
PageTable candidates_table(const PagePoints& points) {
  const auto bills = bills_of(points);
  const auto front = cost_front(bills);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (bills[i]) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return bills[a]->time < bills[b]->time; });
  PageTable table = candidate_table(kCandidates, "Candidates by time and cost");
  for (const std::size_t i : order)
    table.rows.push_back(candidate_row(points[i], *bills[i], std::find(front.begin(), front.end(), i) != front.end()));
  return table;
}

std::string front_text(const PagePoints& points) {
  const auto bills = bills_of(points);
  const auto front = cost_front(bills);
  const auto place = [&](std::size_t i) {
    return fmt::format("{}{} accelerators and batch {} ({}, {})", one_system(points) ? "" : points[i].system + " with ",
                       count_cell(points[i].prediction->inputs.accelerators).text,
                       count_cell(points[i].prediction->inputs.global_batch).text, cell(bills[i]->time).text,
                       cell(bills[i]->cost()).text);
  };
  if (front.size() == 1) return fmt::format("{} is both the quickest and the cheapest.", place(front.front()));
  return fmt::format(
      "{} of {} candidates are on the front: no other is both quicker and cheaper. It goes from the quickest, {}, to "
      "the "
      "cheapest, {}.",
      front.size(), points.size(), place(front.front()), place(front.back()));
}

PageTable break_even_table(const PagePoints& points, const std::string& by) {
  PageTable table{"break-even",
                  "Price at which each costs as much as the cheapest",
                  {{by},
                   {"cost", "USD"},
                   {"price of one accelerator", "USD/h"},
                   {"break-even price", "USD/h"},
                   {"of its price", "share"}}};
  const auto bills = bills_of(points);
  std::optional<Usd> least;
  for (const auto& bill : bills)
    if (bill && bill->price && (!least || *bill->cost() < *least)) least = bill->cost();
  if (!least) return table;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!bills[i]) continue;
    const double count = points[i].prediction->inputs.accelerators;
    const UsdPerSecond even = bills[i]->break_even(*least);
    std::vector<PageCell> row{word_cell(points[i].label), cell(bills[i]->cost())};
    row.push_back(bills[i]->price ? cell(*bills[i]->price / count) : PageCell{});
    row.push_back(cell(even / count));
    row.push_back(bills[i]->price ? share_cell(even / *bills[i]->price) : PageCell{});
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool any_bill(const PagePoints& points) {
  const auto bills = bills_of(points);
  return std::any_of(bills.begin(), bills.end(), [](const auto& bill) { return bill.has_value(); });
}

}  // namespace

PageSection cost_section(const PagePoints& candidates) {
  PageSection section{"cost", "Time against cost", {}};
  if (!any_bill(candidates)) {
    section.blocks.emplace_back(PageText{"No time to a target is known here, so nothing is billed for one."});
    return section;
  }
  PageTable table = candidates_table(candidates);
  const bool priced = !cost_front(bills_of(candidates)).empty();
  if (priced) {
    const std::string front = front_text(candidates);
    section.blocks.emplace_back(PageText{front});
    PageChart chart{"cost",
                    "Time and cost of each candidate",
                    front,
                    table.id,
                    table.column("time to target"),
                    {"time to target", "s", true},
                    {"cost", "USD", true},
                    {{"candidates", table.column("cost"), SeriesStyle::points},
                     {"front", table.column("cost on the front"), SeriesStyle::line}}};
    chart.label = table.column(one_system(candidates) ? "accelerators" : "system");
    chart.named = true;
    section.blocks.emplace_back(std::move(chart));
  } else {
    section.blocks.emplace_back(PageText{"No price is on record here; the sliders below take one."});
  }
  section.blocks.emplace_back(PageTableBlock{std::move(table), true});
  return section;
}

PageSection price_section(const PagePoints& points, const std::string& by, Seconds deadline) {
  PageSection section{"prices", "At another price, deadline or batch", {}};
  if (!any_bill(points)) {
    section.blocks.emplace_back(PageText{"Without a time to a target there is no price to break even at."});
    return section;
  }
  PageTable table = break_even_table(points, by);
  section.blocks.emplace_back(PageText{
      "The sliders choose among the candidates above, which were computed when this page was made; a cost is the price "
      "times what is billed. An end in time in nine runs of ten is asked for."});
  section.blocks.emplace_back(PageSliders{"prices", kCandidates, deadline.value});
  if (!table.rows.empty()) section.blocks.emplace_back(PageTableBlock{std::move(table), false});
  return section;
}

}  // namespace mlsim::reports
