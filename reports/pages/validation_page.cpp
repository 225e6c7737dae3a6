#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "reports/figure_text.hpp"
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

std::vector<std::string> missed_bounds(const ValidationReport& report) {
  std::vector<std::string> sentences;
  for (const GroupScore& group : report.groups)
    for (const std::string& miss : misses(group, report.bounds))
      sentences.push_back(fmt::format("beyond the bound: {}: {}: {}", group.source, metric_words(group.metric), miss));
  return sentences;
}

PageSection groups_section(const ValidationReport& report) {
  PageSection section{"groups", "Errors against their bounds", {}};
  PageList missed{missed_bounds(report), true};
  if (!missed.items.empty()) section.blocks.emplace_back(std::move(missed));
  Table table = columns_of(groups_table(report), {"group", "metric", "rows", "refused", "median", "P90", "max", "bias",
                                                  "held", "linear median", "bound median", "verdict"});
  PageChart chart{"groups",
                  "Median error of each group against its bound",
                  "a point below the line keeps its bound.",
                  table.id,
                  table.column("bound median"),
                  {"bound on the median error", "share", true},
                  {"median error", "share", true},
                  {{"groups", table.column("median"), SeriesStyle::points}},
                  {table.column("group"), table.column("metric")},
                  false,
                  {1}};
  section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(PageTable{std::move(table), false});
  return section;
}

using Results = std::vector<const CaseResult*>;

// Groups the checks that were answered, the metric with most of them first.
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

using CaseGroup = std::pair<std::string, Metric>;

// Groups are in order of their first case; unlike ValidationReport::groups there are also groups of anchors alone.
std::vector<std::pair<CaseGroup, Results>> grouped_cases(const ValidationReport& report) {
  std::vector<std::pair<CaseGroup, Results>> groups;
  std::map<CaseGroup, std::size_t> places;
  for (const CaseResult& r : report.cases) {
    const auto [place, fresh] = places.try_emplace({r.what.source, r.what.metric}, groups.size());
    if (fresh) groups.push_back({place->first, {}});
    groups[place->second].second.push_back(&r);
  }
  return groups;
}

std::string case_verdict(const CaseResult& r) {
  if (!r.predicted) return "refused: " + r.refusal;
  if (r.what.role != Role::check) return std::string(name(r.what.role));
  return !r.interval ? "-" : r.holds() ? "held" : "missed";
}

Table group_cases_table(const Results& results) {
  Table table =
      table_of(name_columns("case"), figure_columns("published", "predicted", "error"), word_columns("interval"));
  for (const CaseResult* r : results) {
    const auto value = [&](double number) { return value_text(r->what.metric, number); };
    table.rows.push_back({r->what.id, value(r->what.value), r->predicted ? value(*r->predicted) : "-",
                          r->predicted ? signed_share_text(r->relative_error()) : "-", case_verdict(*r)});
  }
  return table;
}

Table trust_table(const ValidationReport& report) {
  Table table{"trust", "", {{"trust"}, {"rows", "1"}, {"median", "share"}, {"P90", "share"}, {"max", "share"}}};
  for (const TrustScore& score : trust_scores(report.cases)) {
    TableCells& row = table.rows.emplace_back(TableCells{name(score.level), count_cell(score.error.count)});
    for (const double error : {score.error.median, score.error.p90, score.error.max})
      row.push_back(score.error.count > 0 ? TableCell(share_text(error), error) : TableCell("-"));
  }
  return table;
}

const PageText kPreface{
    "Each row of validation/published/*.csv is predicted and compared. An anchor (one accelerator, or the smallest "
    "system of a family) sets the speed of its machine, precision and software; a second one, of the same software on "
    "several accelerators, sets what they cost one another. Every other row is predicted from them and from the "
    "network, "
    "and counted. Anchors are never counted, nor are inputs, figures from which a constant was derived. "
    "docs/board.csv has every row."};
const PageList kReading{
    {"error: predicted/published - 1; the columns median, P90 and max are of its size, bias is its signed mean.",
     "held: share of the 90 % intervals that hold the published value.",
     "linear: the same errors of a baseline that keeps the anchor's rate per accelerator, on the rows that have an "
     "anchor. Where the model does not beat it, the model is not validated.",
     "Time to accuracy: the epochs of the MLPerf rows are also points of the convergence tables, and the pauses of "
     "evaluations were fitted on the rows of their rounds, so these rows check throughput with the clock, not the "
     "prediction of epochs; that is checked by leaving points out (`mlsim validate convergence`)."}};

}  // namespace

Table groups_table(const ValidationReport& report) {
  Table table{"groups", "Errors by group", {{"group"}, {"metric"}, {"rows", "1"}, {"refused", "1"}}};
  for (const char* heading :
       {"median", "P90", "max", "bias", "held", "linear median", "linear P90", "bound median", "bound P90"})
    table.columns.push_back({heading, "share"});
  table.columns.push_back({"verdict"});
  const auto share = [](bool known, double value) { return known ? TableCell(share_text(value), value) : TableCell{}; };
  for (const GroupScore& g : report.groups) {
    const auto bound = report.bounds.of(g.source, g.metric).value_or(Bound{});
    const bool any = g.error.count > 0, linear = g.linear().count > 0, bounded = bound.median > 0;
    table.rows.push_back({g.source, metric_words(g.metric), count_cell(g.error.count), count_cell(g.refused),
                          share(any, g.error.median), share(any, g.error.p90), share(any, g.error.max),
                          any ? TableCell(signed_share_text(g.error.bias), g.error.bias) : TableCell{},
                          share(g.intervals > 0, g.coverage), share(linear, g.linear().median),
                          share(linear, g.linear().p90), share(bounded, bound.median), share(bounded, bound.p90),
                          misses(g, report.bounds).empty() ? "kept" : "missed"});
  }
  return table;
}

Page validation_page(const ValidationReport& report) {
  Page page{"Predictions against published runs", {verdict(report)}, {}, ""};
  for (const auto& [group, results] : grouped_cases(report))
    page.add({PageText{fmt::format("{}: {}", group.first, metric_words(group.second))},
              PageTable{group_cases_table(results)}});
  page.add({PageTable{columns_of(
      groups_table(report), {"group", "metric", "rows", "median", "P90", "max", "bias", "held", "linear median"})}});
  page.add({PageText{
      "Absolute relative errors of the checks; anchors set the speed of their family, inputs a constant of the model; "
      "neither is counted. held: intervals that hold the published value (90 % is right). linear median: of the "
      "baseline that keeps the anchor's rate per accelerator."}});
  if (const auto missed = missed_bounds(report); !missed.empty()) page.add({PageList{missed, true}});
  return page;
}

std::vector<PageSection> published_sections(const ValidationReport& report) {
  return {{"published", "Against published runs, in the table", {kPreface, kReading}},
          {"groups",
           "Groups",
           {PageTable{columns_of(groups_table(report),
                                 {"group", "metric", "rows", "refused", "median", "P90", "max", "bias", "held",
                                  "linear median", "linear P90", "bound median", "bound P90"})}}},
          {"trust",
           "Words of trust",
           {PageText{"The throughput checks by the word that the answer gives of itself, their software being named."},
            PageTable{trust_table(report)}}}};
}

Page validation_report(const ValidationReport& report, const PageOrigin& origin) {
  Page page;
  page.title = "Predictions against published runs";
  page.made_by = origin.made_by;
  page.answer = {verdict(report)};
  page.sections = {scatters_section(report), groups_section(report), repeat_section(origin, nullptr)};
  return page;
}

}  // namespace mlsim::reports
