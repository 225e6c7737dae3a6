#include "reports/validation/published_traces_text.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/text/units_text.hpp"
#include "reports/markdown_table.hpp"
#include "reports/renderers/table_text.hpp"

namespace mlsim::reports {
namespace {

std::string error_text(double error) { return fmt::format("{:+.1f} %", 100 * error); }

std::size_t judged_count(const TraceValidation& validation) {
  std::size_t count = 0;
  for (const CollectiveReplay& each : validation.collectives) count += each.judged ? 1 : 0;
  return count;
}

const std::vector<std::string>& trace_headings() {
  static const std::vector<std::string> all{"trace", "step", "replayed", "simulated", "by laws", "within 25 %"};
  return all;
}

std::vector<std::string> trace_cells(const PublishedTraceResult& result) {
  const TraceValidation& validation = result.validation;
  const Seconds recorded = validation.ranks.front().recorded.time;
  const std::size_t judged = judged_count(validation);
  return {result.trace.what,
          to_text(recorded),
          error_text(validation.own_error()),
          validation.topology.empty() ? "-" : error_text(validation.simulated_error()),
          validation.by_laws ? error_text(*validation.by_laws / recorded - 1) : "-",
          judged > 0 ? fmt::format("{} of {}", judged - validation.collectives_missed(), judged) : "-"};
}

const std::vector<std::string>& part_headings() {
  static const std::vector<std::string> all{"trace", "kernels", "collectives", "hidden", "copies", "idle", "waiting"};
  return all;
}

// Recorded, of its first rank.
std::vector<std::string> part_cells(const PublishedTraceResult& result) {
  const RankReplay& rank = result.validation.ranks.front();
  const StepSums& sums = rank.recorded.sums;
  return {result.trace.what,        to_text(sums.compute), to_text(sums.collective),
          to_text(sums.overlapped), to_text(sums.copy),    to_text(sums.idle) + (rank.host_bound ? " (host)" : ""),
          to_text(rank.waiting)};
}

const std::vector<std::string>& collective_headings() {
  static const std::vector<std::string> all{"trace",    "collective", "payload", "ranks",
                                            "recorded", "simulated",  "error"};
  return all;
}

std::vector<std::vector<std::string>> judged_rows(const PublishedTraceResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const CollectiveReplay& each : result.validation.collectives)
    if (each.judged)
      rows.push_back({result.trace.what, std::string(name(each.what.kind)), to_text(*each.what.payload),
                      each.what.group_size > 0 ? std::to_string(each.what.group_size) : "all", to_text(each.least),
                      to_text(each.simulated->time), error_text(each.error())});
  return rows;
}

const std::vector<std::string>& pipeline_headings() {
  static const std::vector<std::string> all{"pipeline", "step", "recorded", "event by event", "by formula"};
  return all;
}

std::vector<std::string> pipeline_cells(const replay::ReplayedStep& step) {
  return {step.run, std::to_string(step.step), to_text(step.recorded), error_text(step.error()),
          error_text(step.formula / step.recorded - 1)};
}

constexpr std::string_view kTraceNote =
    "replayed: the recorded times in the recorded orders; simulated: with what the collectives take on the system; by\n"
    "laws: a prediction that knows nothing of the trace; within 25 %: kinds of collectives of 1 MB and more, against "
    "the\nleast recorded time, in which one rank alone may have waited. idle (host): bound by the host.\n"
    "Of pipelines the times of the operations are known: 1F1B from them event by event, and by the sum of the stages "
    "and\n"
    "the passes of the largest.\n";

std::string markdown_of(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows) {
  std::string out = markdown_head(headings);
  for (const auto& row : rows) out += markdown_row(row);
  return out + "\n";
}

std::string text_of_rows(const std::vector<std::string>& headings, const std::vector<std::vector<std::string>>& rows) {
  Table table = empty_table(headings, 1);
  for (const auto& row : rows) table.rows.emplace_back(row.begin(), row.end());
  return to_text(table) + "\n";
}

// All tables, each by `one`.
template <class One>
std::string trace_tables(const PublishedTraceResults& results, One one) {
  std::vector<std::vector<std::string>> steps, parts, collectives, pipelines;
  for (const replay::ReplayedStep& step : results.pipelines) pipelines.push_back(pipeline_cells(step));
  for (const PublishedTraceResult& result : results.traces) {
    steps.push_back(trace_cells(result));
    parts.push_back(part_cells(result));
    for (auto& row : judged_rows(result)) collectives.push_back(std::move(row));
  }
  return one(trace_headings(), steps) + one(part_headings(), parts) + one(collective_headings(), collectives) +
         one(pipeline_headings(), pipelines);
}

}  // namespace

std::string published_traces_text(const PublishedTraceResults& results) {
  return trace_tables(results, text_of_rows) + std::string(kTraceNote);
}

std::string published_traces_markdown(const PublishedTraceResults& results) {
  return "## Real traces\n\nSteps that profilers recorded of real runs, replayed.\n\n" +
         trace_tables(results, markdown_of) + std::string(kTraceNote) + "\n";
}

}  // namespace mlsim::reports
