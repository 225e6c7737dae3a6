#include "reports/pages/validation_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "reports/figure_text.hpp"
#include "reports/pages/published_section.hpp"
#include "reports/validation/value_text.hpp"

namespace mlsim::reports {
namespace {

ErrorSummary error_of_all(const ValidationReport& report) {
  std::vector<double> errors;
  for (const CaseResult& r : report.cases)
    if (r.scored()) errors.push_back(r.relative_error());
  return summary(errors);
}

std::string verdict(const ValidationReport& report) {
  const ErrorSummary error = error_of_all(report);
  std::size_t kept = 0;
  for (const GroupScore& group : report.groups) kept += misses(group, report.bounds).empty() ? 1 : 0;
  if (error.count == 0) return "None of the published runs that are checked was answered.";
  return fmt::format(
      "Over {} published runs that are checked the median error is {}, and nine of ten lie within {}; {} of {} groups "
      "keep "
      "their bounds.",
      figure_text(static_cast<double>(error.count)), share_text(error.median), share_text(error.p90), kept,
      report.groups.size());
}

TableCell error_cell(double share) { return {share_text(share), share}; }

Table errors_table(const ValidationReport& report) {
  Table table{"groups",
                  "Errors by group",
                  {{"group"},
                   {"runs", "1"},
                   {"refused", "1"},
                   {"median", "share"},
                   {"P90", "share"},
                   {"largest", "share"},
                   {"bias", "share"},
                   {"intervals held", "share"},
                   {"linear baseline, median", "share"},
                   {"bound on the median", "share"},
                   {"bound on P90", "share"},
                   {"verdict"}}};
  for (const GroupScore& g : report.groups) {
    const auto bound = report.bounds.of(g.source, g.metric);
    const bool any = g.error.count > 0;
    table.rows.push_back({fmt::format("{}: {}", g.source, metric_words(g.metric)), count_cell(g.error.count),
                          count_cell(g.refused), any ? error_cell(g.error.median) : TableCell{},
                          any ? error_cell(g.error.p90) : TableCell{}, any ? error_cell(g.error.max) : TableCell{},
                          any ? TableCell{signed_share_text(g.error.bias), g.error.bias} : TableCell{},
                          g.intervals > 0 ? error_cell(g.coverage) : TableCell{},
                          g.linear().count > 0 ? error_cell(g.linear().median) : TableCell{},
                          bound ? error_cell(bound->median) : TableCell{}, bound ? error_cell(bound->p90) : TableCell{},
                          misses(g, report.bounds).empty() ? "kept" : "missed"});
  }
  return table;
}

PageSection groups_section(const ValidationReport& report) {
  PageSection section{"groups", "Errors against their bounds", {}};
  PageList missed{{}, true};
  for (const GroupScore& group : report.groups)
    for (const std::string& miss : misses(group, report.bounds)) missed.items.push_back(miss);
  if (!missed.items.empty()) section.blocks.emplace_back(std::move(missed));
  Table table = errors_table(report);
  PageChart chart{"groups",
                  "Median error of each group against its bound",
                  "a point below the line keeps its bound.",
                  table.id,
                  table.column("bound on the median"),
                  {"bound on the median error", "share", true},
                  {"median error", "share", true},
                  {{"groups", table.column("median"), SeriesStyle::points}},
                  {table.column("group")},
                  false,
                  {1}};
  section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(PageTable{std::move(table), false});
  return section;
}

using Results = std::vector<const CaseResult*>;

// Checks that were answered, the metric with most of them first.
std::vector<Results> answered_by_metric(const ValidationReport& report) {
  std::map<Metric, Results> found;
  for (const CaseResult& r : report.cases)
    if (r.scored()) found[r.what.metric].push_back(&r);
  std::vector<Results> sorted_results;
  for (auto& [metric, results] : found) sorted_results.push_back(std::move(results));
  std::stable_sort(sorted_results.begin(), sorted_results.end(),
                   [](const Results& a, const Results& b) { return a.size() > b.size(); });
  return sorted_results;
}

PageSection scatters_section(const ValidationReport& report) {
  PageSection section{"cases", "Predicted against measured", {}};
  section.blocks.emplace_back(
      PageText{"Each point is a run that was not used to set a constant of its family. Dashed lines: nine of ten of "
               "all runs lie "
               "between them."});
  const double bound = error_of_all(report).p90;
  for (const Results& results : answered_by_metric(report)) {
    const Metric metric = results.front()->what.metric;
    const std::string id = fmt::format("cases-{}", name(metric));
    const std::string title =
        fmt::format("{}: {} run{}", metric_words(metric), results.size(), results.size() == 1 ? "" : "s");
    for (PageBlock& block : scatter_blocks(id, title, results, bound)) section.blocks.push_back(std::move(block));
  }
  return section;
}

}  // namespace

Page validation_page(const ValidationReport& report, const PageOrigin& origin) {
  Page page;
  page.title = "Predictions against published runs";
  page.made_by = origin.made_by;
  page.answer = {verdict(report)};
  page.sections = {scatters_section(report), groups_section(report), repeat_section(origin, nullptr)};
  return page;
}

}  // namespace mlsim::reports
