#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/text/units_text.hpp"
#include "replay/diagnosis/diagnosis.hpp"

namespace mlsim::reports {
namespace {

std::size_t last_rank(const EtStep& step) {
  return static_cast<std::size_t>(std::max_element(step.ends.begin(), step.ends.end()) - step.ends.begin());
}

Table ways_table(const ExchangeWays& ways) {
  Table table = table_of(word_columns("exchange"), figure_columns("groups", "ranks", "count", "payload in all"),
                         word_columns("how"));
  for (const ExchangeWay& way : ways.all)
    table.rows.push_back({name(way.kind), std::to_string(way.groups.size()), std::to_string(way.groups.front().size()),
                          std::to_string(way.count), to_text(way.total), way.plan.name()});
  return table;
}

TableCells rate_row(const char* what, const EventRate& rate, const char* hour) {
  const std::string seen = rate.events > 0 ? fmt::format("{:.3g}", rate.per_hour()) : "none seen";
  const std::string range = rate.events > 0 ? fmt::format("{:.3g} .. {:.3g}", rate.lower(), rate.upper())
                                            : fmt::format("at most {:.3g}", rate.upper());
  return {what, std::to_string(rate.events), fmt::format("{} {}s", count_text(rate.hours), hour), seen, range};
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count_text(static_cast<double>(count)), what, count == 1 ? "" : "s");
}

std::size_t nodes_of(const ExecutionTrace& trace, EtKind kind) {
  std::size_t count = 0;
  for (const EtNode& node : trace.nodes) count += node.kind == kind ? 1 : 0;
  return count;
}

std::vector<PageBlock> file_lines(const EtExport& exported, const std::string& prefix) {
  const std::size_t ranks = exported.ranks.size();
  const std::string last = ranks > 1 ? fmt::format(" to {}.{}.et", prefix, ranks - 1) : "";
  std::vector<PageBlock> lines{PageText{fmt::format("{}.0.et{}: {}", prefix, last, counted(ranks, "rank"))}};
  if (!exported.groups.empty())
    lines.emplace_back(
        PageText{fmt::format("{0}.groups.json: {1} (ASTRA-sim: --comm-group-configuration={0}.groups.json)", prefix,
                             counted(exported.groups.size(), "process group"))});
  return lines;
}

// No likelihood is shown as 100 %, since nothing is certain.
std::string likelihood_text(double likelihood) {
  return likelihood > 0.99 ? "> 99 %" : fmt::format("{:.0f} %", std::floor(100 * likelihood));
}

Table causes_table(const Diagnosis& diagnosis) {
  Table table =
      table_of(name_columns("cause"), word_columns("where"), figure_columns("times as long", "likelihood", "saves"));
  for (const Cause& cause : diagnosis.causes)
    table.rows.push_back({name(cause.kind), cause.where, fmt::format("{:.2f}", cause.times_as_long),
                          likelihood_text(cause.likelihood), fmt::format("{:.3g} %", 100 * cause.saving)});
  if (diagnosis.nothing >= 0.01) table.rows.push_back({"nothing", "", "", likelihood_text(diagnosis.nothing), ""});
  return table;
}

Table arrivals_table(const Diagnosis& diagnosis) {
  constexpr std::size_t kShown = 8;
  Table table = table_of(name_columns("last to arrive"), figure_columns("times", "of", "waited for"));
  for (const Arrival& arrival : diagnosis.last_to_arrive) {
    if (table.rows.size() == kShown) break;
    table.rows.push_back(
        {arrival.where, std::to_string(arrival.times), std::to_string(arrival.meetings), to_text(arrival.waited)});
  }
  return table;
}

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

Page chakra_page(const ChakraReplay& replay) {
  const std::size_t ranks = replay.run.ranks.size(), last = last_rank(replay.step);
  Page page{fmt::format("{} rank{} on {}", ranks, ranks == 1 ? "" : "s", replay.cluster), {}, {}, ""};
  page.add(
      {PageItems{{{"Step", to_text(replay.step.time)},
                  {"Kernels", fmt::format("{} on rank {}, which ends last", to_text(replay.step.busy[last]), last)},
                  {"Links", replay.links == ChakraLinks::ideal
                                ? "ideal: their line rate, as ASTRA-sim's and formulas have"
                                : "with what software loses on them; --links ideal leaves that out"}}}});
  if (Table table = ways_table(replay.ways); !table.rows.empty()) page.add({PageTable{std::move(table)}});
  if (!replay.run.warnings.empty()) page.add({PageList{replay.run.warnings, true}});
  return page;
}

Page slurm_page(const SlurmJobs& jobs) {
  const auto counted = [](std::uint64_t number) { return count_text(static_cast<double>(number)); };
  std::string text =
      fmt::format("{} jobs on accelerators, each try counted", counted(jobs.jobs - jobs.without_accelerators));
  if (jobs.without_accelerators > 0)
    text += fmt::format("; left out, without accelerators: {}", counted(jobs.without_accelerators));
  Table table{
      "", "", {{""}, figure_column("events"), figure_column("in"), figure_column("an hour"), figure_column("90 %")}};
  table.rows.push_back(rate_row("node failures", jobs.failures, "accelerator-hour"));
  table.rows.push_back(rate_row("preemptions", jobs.preemptions, "machine-hour"));
  Page page{text, {}, {}, ""};
  page.add({PageTable{std::move(table)}});
  page.add({PageText{"for mlsim predict:"},
            PageVerbatim{fmt::format("  --set failures=on --set time_between_failures=\"{:.6g} h\"\n"
                                     "  --set price=preemptible --set preemption_rate={:.4g}\n",
                                     1 / jobs.failures.cautious(), jobs.preemptions.cautious())}});
  if (jobs.failures.events == 0 || jobs.preemptions.events == 0)
    page.add({PageText{"what was not seen has its upper end here: no event is no rate of 0"}});
  return page;
}

Page export_page(const EtExport& exported, const std::string& prefix, Seconds time, Seconds framework) {
  const ExecutionTrace& first = exported.ranks.front();
  std::vector<PageBlock> lines = file_lines(exported, prefix);
  const auto say = [&](std::string sentence) { lines.emplace_back(PageText{std::move(sentence)}); };
  say(fmt::format("rank 0: {}, {}, {}, {}", counted(first.nodes.size(), "node"),
                  counted(nodes_of(first, EtKind::collective), "collective"),
                  counted(nodes_of(first, EtKind::send), "send"),
                  counted(nodes_of(first, EtKind::receive), "receive")));
  say("simulated step: " + to_text(time));
  if (framework > Seconds(0))
    say(fmt::format("not in the files: {} of the framework before the first kernel", to_text(framework)));
  std::string rounding =
      fmt::format("whole microseconds: a rank's kernels are off by at most {} in sum", to_text(exported.rounding.most));
  if (exported.rounding.empty > 0)
    rounding += fmt::format("; {} of rank 0 became 0 us long, with the time in {} neighbours",
                            counted(exported.rounding.empty, "kernel"), exported.rounding.empty == 1 ? "its" : "their");
  say(rounding);
  Page page;
  page.add(std::move(lines));
  return page;
}

Page diagnosis_page(const Diagnosis& diagnosis) {
  Page page{diagnosis.subject, {}, {}, ""};
  const auto say = [&](const std::string& sentence) { page.add({PageText{sentence}}); };
  if (diagnosis.found())
    page.add({PageTable{causes_table(diagnosis)}});
  else
    say("Nothing found: no rank, host, link, stage or input stands out from the rest.");
  for (const Cause& cause : diagnosis.causes) say(cause_sentence(cause));
  for (const Cause& cause : diagnosis.besides)
    say(fmt::format("Once that is taken out, there is also: {} ({}). {}", name(cause.kind),
                    likelihood_text(cause.likelihood), cause_sentence(cause)));
  if (Table arrivals = arrivals_table(diagnosis); !arrivals.rows.empty()) page.add({PageTable{std::move(arrivals)}});
  if (!diagnosis.tell_apart.empty())
    say(fmt::format("{}: {}.", diagnosis.causes.size() > 1 ? "To tell them apart" : "To make sure",
                    diagnosis.tell_apart));
  for (const std::string& note : diagnosis.notes) say(note);
  return page;
}

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
