#include "reports/pages/trace_validation_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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
  if (!validation.what_if) return "";
  const WhatIfStep& step = *validation.what_if;
  return fmt::format("What if: {}: the step takes {}, {:.2f} times the {} without.", step.text, to_text(step.after),
                     step.after / step.before, to_text(step.before));
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

}  // namespace

Page trace_validation_page(const TraceValidation& validation) {
  Page page;
  page.add(replayed_steps(validation));
  page.add(replayed_collectives(validation));
  for (const std::string& sentence : {replay_note(validation), host_note(validation), split_text(validation),
                                      laws_text(validation), verdict_text(validation), what_if_text(validation)})
    if (!sentence.empty()) page.add({PageText{sentence}});
  return page;
}

}  // namespace mlsim::reports
