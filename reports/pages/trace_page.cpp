#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/text/units_text.hpp"

namespace mlsim::reports {
namespace {

std::string rank_name(const RecordedRank& rank) { return rank.trace.rank ? std::to_string(*rank.trace.rank) : "?"; }

std::string head_text(const RecordedRun& run) {
  const RankTrace& first = run.ranks.front().trace;
  const std::string device = first.device.empty() ? "an accelerator without a name" : first.device;
  const std::size_t ranks = run.ranks.size();
  const std::string world = first.world_size ? fmt::format(" of {}", *first.world_size) : "";
  return fmt::format("{} rank{}{} on {}, {} step{} each", ranks, ranks == 1 ? "" : "s", world, device,
                     first.steps.size(), first.steps.size() == 1 ? "" : "s");
}

Table steps_table(const RecordedRun& run) {
  Table table =
      table_of(figure_columns("rank", "median step", "compute", "collectives", "exposed", "copies", "idle", "kernels"));
  for (const RecordedRank& rank : run.ranks) {
    const StepSums& sums = rank.sums[rank.typical_step];
    table.rows.push_back({rank_name(rank), to_text(run.typical_step(rank).time), to_text(sums.compute),
                          to_text(sums.collective), to_text(sums.exposed), to_text(sums.copy), to_text(sums.idle),
                          std::to_string(sums.kernels)});
  }
  return table;
}

std::string group_text(const RecordedCollective& what) {
  return what.group_size > 0 ? std::to_string(what.group_size) : "-";
}

// The bus bandwidth is what nccl-tests calls busbw; it needs payload and ranks.
std::string bus_text(const RecordedCollective& what, Seconds time) {
  if (!what.payload || what.group_size < 2 || time <= Seconds(0)) return "-";
  return fmt::format("{:.1f} GB/s",
                     (*what.payload / time).value * 1e-9 * bus_bandwidth_factor(what.kind, what.group_size));
}

std::string payload_text(const RecordedCollective& what) { return what.payload ? to_text(*what.payload) : "-"; }

// The table is of one rank: its times include waiting for others, so the least is nearest to the collective's own.
Table rank_collectives_table(const RecordedRank& rank) {
  Table table = table_of(word_columns("collective"),
                         figure_columns("payload", "ranks", "count", "least", "median", "bus at least"));
  for (const CollectiveTimes& each : rank.collectives) {
    const RecordedCollective& what = each.collective;
    table.rows.push_back({std::string(name(what.kind)), payload_text(what), group_text(what),
                          std::to_string(each.times.size()), to_text(each.least()), to_text(each.median()),
                          bus_text(what, each.least())});
  }
  return table;
}

// The table is of all ranks, timed from the begin of the last one on.
void add_aligned(Page& page, const CollectiveAlignment& alignment) {
  Table table = table_of(word_columns("collective"),
                         figure_columns("payload", "from the last begin", "waited before", "last rank"));
  constexpr std::size_t kShown = 24;
  for (const auto& each : alignment.collectives) {
    if (table.rows.size() == kShown) break;
    table.rows.push_back({std::string(name(each.what.kind)), payload_text(each.what), to_text(each.time),
                          to_text(each.waited), std::to_string(each.last_rank)});
  }
  std::vector<PageBlock> blocks{PageTable{std::move(table)}};
  if (alignment.collectives.size() > kShown)
    blocks.emplace_back(PageText{fmt::format("... and {} more", alignment.collectives.size() - kShown)});
  page.add(std::move(blocks));
  page.add({PageText{fmt::format("Collectives end on all ranks within {} of each other, once clocks are set by them.",
                                 to_text(alignment.disagreement))}});
}

PageList trace_warnings(const RecordedRun& run) {
  PageList list{run_warnings(run), true};
  const auto bound = std::count_if(run.ranks.begin(), run.ranks.end(), host_bound);
  if (bound == 0) return list;
  list.items.push_back(
      "bound by the host: the accelerator is idle longer than it computes, so its kernels alone say little of it");
  if (run.ranks.size() > 1) list.items.back() += fmt::format(" ({} of {} ranks)", bound, run.ranks.size());
  return list;
}

}  // namespace

Page trace_page(const RecordedRun& run) {
  Page page{head_text(run), {}, {}, ""};
  page.add({PageTable{steps_table(run)}});
  if (run.alignment)
    add_aligned(page, *run.alignment);
  else if (Table table = rank_collectives_table(run.ranks.front()); !table.rows.empty())
    page.add({PageTable{std::move(table)}});
  if (PageList warnings = trace_warnings(run); !warnings.items.empty()) page.add({std::move(warnings)});
  return page;
}

}  // namespace mlsim::reports
