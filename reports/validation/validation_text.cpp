#include "reports/validation/validation_text.hpp"

#include <fmt/format.h>

#include "reports/renderers/table_text.hpp"
#include "reports/validation/value_text.hpp"

namespace mlsim::reports {
namespace {

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

std::string interval_mark(const CaseResult& r) {
  if (r.what.role != Role::check) return std::string(name(r.what.role));
  if (!r.interval) return "-";
  return r.holds() ? "held" : "missed";
}

std::string case_line(const CaseResult& r) {
  const std::string id = cut(r.what.id, 56);
  if (!r.predicted) {
    const std::string reason = "refused: " + r.refusal;
    return fmt::format("  {}\n    {}\n", id, cut(reason, kPageWidth - 4));
  }
  return fmt::format("  {:<56} {:>10} {:>10} {:>8}  {}\n", id, value_text(r.what.metric, r.what.value),
                     value_text(r.what.metric, *r.predicted), signed_share_text(r.relative_error()), interval_mark(r));
}

bool in_group(const CaseResult& r, const std::string& source, Metric metric) {
  return r.what.source == source && r.what.metric == metric;
}

// Groups in order of their first case; unlike ValidationReport::groups this also has groups of anchors alone.
std::string case_tables(const ValidationReport& report) {
  std::string out;
  for (std::size_t i = 0; i < report.cases.size(); ++i) {
    const std::string& source = report.cases[i].what.source;
    const Metric metric = report.cases[i].what.metric;
    bool first = true;
    for (std::size_t k = 0; k < i; ++k) first = first && !in_group(report.cases[k], source, metric);
    if (!first) continue;
    out += fmt::format("{}: {}\n", source, name(metric));
    out += fmt::format("  {:<56} {:>10} {:>10} {:>8}  {}\n", "case", "published", "predicted", "error", "interval");
    for (const CaseResult& r : report.cases)
      if (in_group(r, source, metric)) out += case_line(r);
    out += "\n";
  }
  return out;
}

std::string group_line(const GroupScore& g) {
  const auto percent = [&](double share) { return g.error.count > 0 ? share_text(share) : "-"; };
  const std::string bias = g.error.count > 0 ? signed_share_text(g.error.bias) : "-";
  return fmt::format("{:<25} {:<19} {:>3} {:>7} {:>7} {:>7} {:>8} {:>7}  {}\n", cut(g.source, 25), name(g.metric),
                     g.error.count, percent(g.error.median), percent(g.error.p90), percent(g.error.max), bias,
                     g.intervals > 0 ? percent(g.coverage) : "-",
                     g.linear().count > 0 ? percent(g.linear().median) : "-");
}

}  // namespace

std::string validation_text(const ValidationReport& report) {
  std::string out = case_tables(report);
  out += fmt::format("{:<25} {:<19} {:>3} {:>7} {:>7} {:>7} {:>8} {:>7}  {}\n", "group", "metric", "n", "median", "P90",
                     "max", "bias", "held", "linear");
  std::string missed;
  for (const GroupScore& g : report.groups) {
    out += group_line(g);
    for (const std::string& miss : misses(g, report.bounds))
      missed += fmt::format("beyond the bound: {}: {}: {}\n", g.source, name(g.metric), miss);
  }
  out +=
      "\nAbsolute relative errors of the checks; anchors set the speed of their family, inputs a constant of\n"
      "the model; neither is counted. held: intervals that hold the published value (90 % is right).\n"
      "linear: median error of the baseline that keeps the anchor's rate per accelerator.\n";
  return missed.empty() ? out : out + "\n" + missed;
}

}  // namespace mlsim::reports
