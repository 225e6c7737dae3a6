#include "reports/replay/trace_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/text/units_text.hpp"
#include "reports/text_table.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {
namespace {

std::string rank_name(const RecordedRank& rank) { return rank.trace.rank ? std::to_string(*rank.trace.rank) : "?"; }

std::string head_text(const RecordedRun& run) {
  const RankTrace& first = run.ranks.front().trace;
  const std::string device = first.device.empty() ? "an accelerator without a name" : first.device;
  const std::size_t ranks = run.ranks.size();
  const std::string world = first.world_size ? fmt::format(" of {}", *first.world_size) : "";
  return fmt::format("{} rank{}{} on {}, {} step{} each\n\n", ranks, ranks == 1 ? "" : "s", world, device,
                     first.steps.size(), first.steps.size() == 1 ? "" : "s");
}

std::string steps_text(const RecordedRun& run) {
  TextTable table;
  for (const char* heading : {"rank", "median step", "compute", "collectives", "exposed", "copies", "idle", "kernels"})
    table.columns.push_back({heading, Align::right, true});
  for (const RecordedRank& rank : run.ranks) {
    const StepSums& sums = rank.sums[rank.typical_step];
    table.rows.push_back({rank_name(rank), to_text(run.typical_step(rank).time), to_text(sums.compute),
                          to_text(sums.collective), to_text(sums.exposed), to_text(sums.copy), to_text(sums.idle),
                          std::to_string(sums.kernels)});
  }
  return to_text(table);
}

std::string group_text(const RecordedCollective& what) {
  return what.group_size > 0 ? std::to_string(what.group_size) : "-";
}

// Bytes a second that nccl-tests calls busbw; needs payload and ranks.
std::string bus_text(const RecordedCollective& what, Seconds time) {
  if (!what.payload || what.group_size < 2 || time <= Seconds(0)) return "-";
  return fmt::format("{:.1f} GB/s",
                     (*what.payload / time).value * 1e-9 * bus_bandwidth_factor(what.kind, what.group_size));
}

std::string payload_text(const RecordedCollective& what) { return what.payload ? to_text(*what.payload) : "-"; }

// Of one rank: a rank that waits for others has that in its times, so the least is nearest to the collective's own.
std::string rank_collectives_text(const RecordedRank& rank) {
  TextTable table{{{"collective"},
                   {"payload", Align::right, true},
                   {"ranks", Align::right, true},
                   {"count", Align::right, true},
                   {"least", Align::right, true},
                   {"median", Align::right, true},
                   {"bus at least", Align::right, true}},
                  {}};
  for (const CollectiveTimes& each : rank.collectives) {
    const RecordedCollective& what = each.collective;
    table.rows.push_back({std::string(name(what.kind)), payload_text(what), group_text(what),
                          std::to_string(each.times.size()), to_text(each.least()), to_text(each.median()),
                          bus_text(what, each.least())});
  }
  return table.rows.empty() ? "" : "\n" + to_text(table);
}

// Of all ranks: from the last one's begin on.
std::string aligned_text(const CollectiveAlignment& alignment) {
  TextTable table{{{"collective"},
                   {"payload", Align::right, true},
                   {"from the last begin", Align::right, true},
                   {"waited before", Align::right, true},
                   {"last rank", Align::right, true}},
                  {}};
  constexpr std::size_t kShown = 24;
  for (const auto& each : alignment.collectives) {
    if (table.rows.size() == kShown) break;
    table.rows.push_back({std::string(name(each.what.kind)), payload_text(each.what), to_text(each.time),
                          to_text(each.waited), std::to_string(each.last_rank)});
  }
  std::string text = "\n" + to_text(table);
  if (alignment.collectives.size() > kShown)
    text += fmt::format("... and {} more\n", alignment.collectives.size() - kShown);
  return text + fmt::format("\nCollectives end on all ranks within {} of each other, once clocks are set by them.\n",
                            to_text(alignment.disagreement));
}

std::string warnings_text(const RecordedRun& run) {
  std::map<std::string, int> counts;
  for (const RecordedRank& rank : run.ranks) {
    for (const std::string& warning : rank.trace.warnings) ++counts[warning];
    if (host_bound(rank))
      ++counts
          ["bound by the host: the accelerator is idle longer than it computes, so its kernels alone say little of it"];
  }
  std::string text;
  for (const auto& [warning, count] : counts) {
    const std::string whose = run.ranks.size() > 1 ? fmt::format(" ({} of {} ranks)", count, run.ranks.size()) : "";
    text += "\n" + paragraph("warning: " + warning + whose);
  }
  return text;
}

}  // namespace

std::string trace_text(const RecordedRun& run) {
  std::string text = head_text(run) + steps_text(run);
  text += run.alignment ? aligned_text(*run.alignment) : rank_collectives_text(run.ranks.front());
  return text + warnings_text(run);
}

}  // namespace mlsim::reports
