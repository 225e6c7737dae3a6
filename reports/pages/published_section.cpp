#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/validation/value_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kFewestDrawn = 3;

TableCell metric_cell(Metric metric, double value) {
  return metric == Metric::throughput ? cell(PerSecond(value)) : TableCell{value_text(metric, value), value};
}

Table runs_table(const std::string& id, const std::string& caption, Metric metric) {
  const std::string unit = unit_of(metric);
  Table table{id, caption, {{"case"}, {"system"}, {"accelerators", "1"}, {"published", unit}, {"predicted", unit}}};
  table.columns.push_back({"error", "share"});
  add_range_columns(table, "predicted", unit);
  table.columns.push_back({"interval"});
  return table;
}

TableCells case_row(const CaseResult& r) {
  const Metric metric = r.what.metric;
  TableCells row{r.what.id, r.what.topology, r.what.topology.empty() ? TableCell{} : count_cell(r.what.accelerators),
                 metric_cell(metric, r.what.value), metric_cell(metric, *r.predicted)};
  row.push_back({signed_share_text(r.relative_error()), r.relative_error()});
  for (std::size_t i = 0; i < 2; ++i) row.push_back(r.interval ? metric_cell(metric, (*r.interval)[i]) : TableCell{});
  row.push_back(!r.interval ? "" : r.holds() ? "held" : "missed");
  return row;
}

std::string axis_title(const std::string& what, Metric metric) {
  return metric == Metric::throughput ? what + ", samples/s" : what;
}

std::string held_text(const std::vector<CaseResult>& results) {
  std::vector<double> errors;
  int held = 0;
  for (const CaseResult& r : results) {
    errors.push_back(r.relative_error());
    held += r.holds() ? 1 : 0;
  }
  const ErrorSummary error = summary(errors);
  return fmt::format(
      "{} published runs of this workload, those of about this size first. Each is predicted without its own value; "
      "the "
      "median error is {}, and {} of {} lie within the 5 to 95 % range.",
      error.count, share_text(error.median), held, error.count);
}

}  // namespace

std::string metric_words(Metric metric) {
  std::string words(name(metric));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string unit_of(Metric metric) {
  switch (quantity_of(metric)) {
    case MetricQuantity::rate: return "samples/s";
    case MetricQuantity::time: return "s";
    case MetricQuantity::money: return "USD";
    case MetricQuantity::bandwidth: return "B/s";
    case MetricQuantity::bytes: return "B";
    case MetricQuantity::number: break;
  }
  return "1";
}

std::vector<PageBlock> scatter_blocks(const std::string& id, const std::string& title,
                                      const std::vector<const CaseResult*>& results, double bound) {
  const Metric metric = results.front()->what.metric;
  Table table = runs_table(id, title, metric);
  for (const CaseResult* r : results) table.rows.push_back(case_row(*r));
  PageChart chart{id,
                  title,
                  "a right prediction lies on the diagonal.",
                  id,
                  table.column("published"),
                  {axis_title("published", metric), unit_of(metric), true},
                  {axis_title("predicted", metric), unit_of(metric), true},
                  {{"runs", table.column("predicted"), SeriesStyle::points}},
                  {table.column("case")},
                  false,
                  {1}};
  if (results.size() < kFewestDrawn) return {PageTable{std::move(table), true}};
  if (bound > 0) chart.ratios.insert(chart.ratios.end(), {1 + bound, 1 / (1 + bound)});
  return {std::move(chart), PageTable{std::move(table), true}};
}

PageSection published_section(const std::vector<CaseResult>& results) {
  PageSection section{"published", "Predicted against measured", {}};
  if (results.empty()) {
    section.blocks.emplace_back(PageText{"No published run of this workload is known."});
    return section;
  }
  section.blocks.emplace_back(PageText{held_text(results)});
  std::vector<const CaseResult*> all;
  for (const CaseResult& r : results) all.push_back(&r);
  const std::string title = fmt::format("Published runs: {}", metric_words(results.front().what.metric));
  for (PageBlock& block : scatter_blocks("published", title, all, 0)) section.blocks.push_back(std::move(block));
  return section;
}

}  // namespace mlsim::reports
