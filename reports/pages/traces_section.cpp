#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/units_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kShownRanks = 16, kShownCollectives = 40;

std::string signed_percent(double error) { return fmt::format("{:+.1f} %", 100 * error); }

TableCells split_cells(const std::string& rank, const char* which, const SplitStep& step, const std::string& error) {
  return {rank,
          which,
          to_text(step.time),
          error,
          to_text(step.sums.compute),
          to_text(step.sums.collective),
          to_text(step.sums.overlapped),
          to_text(step.sums.copy),
          to_text(max(Seconds(0), step.time - step.sums.busy))};
}

std::vector<PageBlock> replayed_steps(const TraceValidation& validation) {
  Table table = table_of(figure_columns("rank"), word_columns("step"),
                         figure_columns("time", "error", "kernels", "collectives", "hidden", "copies", "idle"));
  for (const RankReplay& rank : validation.ranks) {
    if (table.rows.size() >= 3 * kShownRanks) break;
    table.rows.push_back(split_cells(std::to_string(rank.rank), "recorded", rank.recorded, ""));
    table.rows.push_back(split_cells("", "replayed", rank.own, signed_percent(rank.own.time / rank.recorded.time - 1)));
    if (rank.simulated)
      table.rows.push_back(
          split_cells("", "simulated", *rank.simulated, signed_percent(rank.simulated->time / rank.recorded.time - 1)));
  }
  std::vector<PageBlock> blocks{PageTable{std::move(table)}};
  if (validation.ranks.size() > kShownRanks)
    blocks.emplace_back(PageText{fmt::format("... and {} ranks more", validation.ranks.size() - kShownRanks)});
  return blocks;
}

std::vector<PageBlock> replayed_collectives(const TraceValidation& validation) {
  Table table =
      table_of(name_columns("collective"),
               figure_columns("payload", "ranks", "count", "recorded", "simulated", "error"), word_columns("by"));
  for (const CollectiveReplay& each : validation.collectives) {
    if (table.rows.size() == kShownCollectives) break;
    const RecordedCollective& what = each.what;
    table.rows.push_back({name(what.kind), what.payload ? to_text(*what.payload) : "-",
                          what.group_size > 0 ? std::to_string(what.group_size) : "all", std::to_string(each.count),
                          to_text(each.least), each.simulated ? to_text(each.simulated->time) : "-",
                          each.simulated ? signed_percent(each.error()) + (each.judged ? "" : " *") : "-",
                          each.simulated ? each.simulated->algorithm : ""});
  }
  if (table.rows.empty()) return {};
  std::vector<PageBlock> blocks{PageTable{std::move(table)}};
  if (validation.collectives.size() > kShownCollectives)
    blocks.emplace_back(PageText{fmt::format("... and {} more", validation.collectives.size() - kShownCollectives)});
  const auto& all = validation.collectives;
  if (std::any_of(all.begin(), all.end(), [](const auto& each) { return each.simulated && !each.judged; }))
    blocks.emplace_back(PageText{"* not judged: below 1 MB, or an all-to-all, whose parts differ between ranks"});
  return blocks;
}

std::string replay_note(const TraceValidation& validation) {
  std::string note =
      "replayed: the recorded times in the recorded orders (of each stream, launch before kernel, producer before "
      "collective). ";
  note += validation.ranks.size() > 1 ? "Ranks wait for each other anew."
                                      : "What collectives waited for other ranks, which are not recorded, is kept: " +
                                            to_text(validation.ranks.front().waiting) + " of this step.";
  Seconds unexplained;
  for (const RankReplay& rank : validation.ranks) unexplained = max(unexplained, rank.unexplained);
  if (unexplained > Seconds(0)) note += " So is what waits for nothing that is recorded: " + to_text(unexplained) + ".";
  if (!validation.topology.empty())
    note += " simulated: the same with what the collectives take on " + validation.topology + ".";
  return note;
}

std::string host_note(const TraceValidation& validation) {
  const auto bound = std::count_if(validation.ranks.begin(), validation.ranks.end(),
                                   [](const RankReplay& rank) { return rank.host_bound; });
  if (bound == 0) return "";
  return "Bound by the host: the accelerator is idle longer than it computes, so the step is the "
         "host's own, which is replayed as recorded.";
}

std::string signed_time(Seconds time) {
  return (time < Seconds(0) ? "-" : "+") + to_text(max(time, Seconds(0) - time));
}

// Says where the error lies of the rank that is furthest off.
std::string split_text(const TraceValidation& validation) {
  if (validation.topology.empty()) return "";
  const auto error = [](const RankReplay& rank) { return std::abs(rank.simulated->time / rank.recorded.time - 1); };
  const RankReplay& rank = *std::max_element(validation.ranks.begin(), validation.ranks.end(),
                                             [&](const auto& a, const auto& b) { return error(a) < error(b); });
  const StepSums &recorded = rank.recorded.sums, &simulated = rank.simulated->sums;
  const Seconds step = rank.simulated->time - rank.recorded.time, kernels = simulated.compute - recorded.compute,
                exposed = simulated.exposed - recorded.exposed;
  return fmt::format(
      "Simulated less recorded, rank {}: {} = {} kernels {} exposed collectives {} "
      "copies, host and idle; hidden collectives {}.",
      rank.rank, signed_time(step), signed_time(kernels), signed_time(exposed), signed_time(step - kernels - exposed),
      signed_time(simulated.overlapped - recorded.overlapped));
}

std::string laws_text(const TraceValidation& validation) {
  if (!validation.by_laws) return "";
  const Seconds recorded = validation.ranks.front().recorded.time;
  return fmt::format("By laws and curves of kernels, without this trace, the step takes {} ({}).",
                     to_text(*validation.by_laws), signed_percent(*validation.by_laws / recorded - 1));
}

std::string what_if_text(const TraceValidation& validation) {
  if (validation.what_if.size() != 1) return "";
  const WhatIfStep& step = validation.what_if.front();
  return fmt::format("What if: {}: the step takes {}, {:.2f} times the {} without.", step.text, to_text(step.after),
                     step.after / step.before, to_text(step.before));
}

// Makes a row for each size of the job that is asked about, and says what the rows assume.
std::vector<PageBlock> what_if_sizes(const TraceValidation& validation) {
  if (validation.what_if.size() < 2) return {};
  Table table{
      "", "", {{"what if"}, figure_column("step"), figure_column("of the recorded job's"), figure_column("of linear")}};
  for (const WhatIfStep& step : validation.what_if)
    table.rows.push_back({step.text, to_text(step.after), fmt::format("x {:.2f}", step.after / step.before),
                          fmt::format("{:.0f} %", 100 * (step.before / step.after))});
  return {PageTable{std::move(table)},
          PageText{"Assumed: every rank does what the recorded one did, collectives of the whole job are of all ranks, "
                   "those of smaller groups keep their size, and kernels and the host keep their times."}};
}

std::string verdict_text(const TraceValidation& validation) {
  const bool simulated = !validation.topology.empty();
  const double error = simulated ? validation.simulated_error() : validation.own_error();
  std::string text = fmt::format("{} step {}", simulated ? "Simulated" : "Replayed", signed_percent(error));
  const auto judged = std::count_if(validation.collectives.begin(), validation.collectives.end(),
                                    [](const auto& each) { return each.judged; });
  if (judged > 0)
    text += fmt::format("; {} of {} kinds of collectives of 1 MB and more beyond the bound",
                        validation.collectives_missed(), judged);
  return fmt::format("{} (bound {:.0f} %): {}", text, 100 * validation.bound,
                     exit_status(validation) == 0 ? "within the bound" : "beyond the bound");
}

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

Table pipelines_table() {
  return table_of(word_columns("pipeline"), figure_columns("step", "recorded", "event by event", "by formula"));
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
  Table pipelines = pipelines_table();
  for (const PublishedTraceResult& result : results.traces) {
    steps.rows.push_back(trace_row(result));
    parts.rows.push_back(part_row(result));
    add_judged(collectives, result);
  }
  for (const ReplayedStep& step : results.pipelines) pipelines.rows.push_back(pipeline_row(step));
  return {PageTable{steps}, PageTable{parts}, PageTable{collectives}, PageTable{pipelines}, PageText{kTraceNote}};
}

}  // namespace

Page trace_validation_page(const TraceValidation& validation) {
  Page page;
  if (!validation.pipeline.empty()) {
    Table steps = pipelines_table();
    for (const ReplayedStep& step : validation.pipeline) steps.rows.push_back(pipeline_row(step));
    page.add({PageTable{std::move(steps)}, PageText{verdict_text(validation)}});
    return page;
  }
  page.add(replayed_steps(validation));
  page.add(replayed_collectives(validation));
  for (const std::string& sentence : {replay_note(validation), host_note(validation), split_text(validation),
                                      laws_text(validation), verdict_text(validation), what_if_text(validation)})
    if (!sentence.empty()) page.add({PageText{sentence}});
  if (auto sizes = what_if_sizes(validation); !sizes.empty()) page.add(std::move(sizes));
  if (!validation.warnings.empty()) page.add({PageList{validation.warnings, true}});
  return page;
}

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
