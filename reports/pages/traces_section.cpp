#include "reports/pages/traces_section.hpp"

#include <fmt/format.h>

#include "core/text/units_text.hpp"

namespace mlsim::reports {
namespace {

std::string error_text(double error) { return fmt::format("{:+.1f} %", 100 * error); }

std::size_t judged_count(const TraceValidation& validation) {
  std::size_t count = 0;
  for (const CollectiveReplay& each : validation.collectives) count += each.judged ? 1 : 0;
  return count;
}

TableCells trace_row(const PublishedTraceResult& result) {
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

// The row shows what was recorded of the first rank.
TableCells part_row(const PublishedTraceResult& result) {
  const RankReplay& rank = result.validation.ranks.front();
  const StepSums& sums = rank.recorded.sums;
  return {result.trace.what,        to_text(sums.compute), to_text(sums.collective),
          to_text(sums.overlapped), to_text(sums.copy),    to_text(sums.idle) + (rank.host_bound ? " (host)" : ""),
          to_text(rank.waiting)};
}

void add_judged(Table& table, const PublishedTraceResult& result) {
  for (const CollectiveReplay& each : result.validation.collectives)
    if (each.judged)
      table.rows.push_back({result.trace.what, name(each.what.kind), to_text(*each.what.payload),
                            each.what.group_size > 0 ? std::to_string(each.what.group_size) : "all",
                            to_text(each.least), to_text(each.simulated->time), error_text(each.error())});
}

TableCells pipeline_row(const ReplayedStep& step) {
  return {step.run, std::to_string(step.step), to_text(step.recorded), error_text(step.error()),
          error_text(step.formula / step.recorded - 1)};
}

constexpr const char* kTraceNote =
    "replayed: the recorded times in the recorded orders; simulated: with what the collectives take on the system; by "
    "laws: a prediction that knows nothing of the trace; within 25 %: kinds of collectives of 1 MB and more, against "
    "the least recorded time, in which one rank alone may have waited. idle (host): bound by the host. Of pipelines "
    "the "
    "times of the operations are known: 1F1B from them event by event, and by the sum of the stages and the passes of "
    "the largest.";

std::vector<PageBlock> trace_blocks(const PublishedTraceResults& results) {
  Table steps =
      table_of(word_columns("trace"), figure_columns("step", "replayed", "simulated", "by laws", "within 25 %"));
  Table parts =
      table_of(word_columns("trace"), figure_columns("kernels", "collectives", "hidden", "copies", "idle", "waiting"));
  Table collectives = table_of(word_columns("trace"),
                               figure_columns("collective", "payload", "ranks", "recorded", "simulated", "error"));
  Table pipelines =
      table_of(word_columns("pipeline"), figure_columns("step", "recorded", "event by event", "by formula"));
  for (const PublishedTraceResult& result : results.traces) {
    steps.rows.push_back(trace_row(result));
    parts.rows.push_back(part_row(result));
    add_judged(collectives, result);
  }
  for (const ReplayedStep& step : results.pipelines) pipelines.rows.push_back(pipeline_row(step));
  return {PageTable{steps}, PageTable{parts}, PageTable{collectives}, PageTable{pipelines}, PageText{kTraceNote}};
}

}  // namespace

Page traces_page(const PublishedTraceResults& results) {
  Page page;
  for (PageBlock& block : trace_blocks(results)) page.add({std::move(block)});
  return page;
}

PageSection traces_section(const PublishedTraceResults& results) {
  PageSection section{"traces", "Real traces", trace_blocks(results)};
  section.blocks.insert(section.blocks.begin(), PageText{"Steps that profilers recorded of real runs, replayed."});
  return section;
}

}  // namespace mlsim::reports
