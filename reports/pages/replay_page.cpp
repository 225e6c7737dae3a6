#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text/units_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kWorstNodes = 8;

struct SplitRow {
  const char* name;
  Seconds StepErrorSplit::*part;
  const char* meaning;
};
constexpr SplitRow kSplitRows[] = {
    {"kernel", &StepErrorSplit::kernel, "kernels alone, predicted less measured"},
    {"collective", &StepErrorSplit::collective, "exchanges alone, predicted less measured"},
    {"contention", &StepErrorSplit::contention, "what the two, and others, cost each other; not predicted"},
    {"overlap", &StepErrorSplit::overlap, "the rest: order, waits, what is in no node"},
};

std::string signed_text(Seconds time) { return time < Seconds(0) ? "-" + to_text(Seconds(0) - time) : to_text(time); }

std::string percent(double share) { return fmt::format("{:+.1f} %", share * 100); }

Table split_table(const ReplayError& error) {
  Table table = table_of(word_columns("part of the error"), figure_columns("time", "of the step"), word_columns(""));
  for (const SplitRow& row : kSplitRows) {
    const Seconds part = error.split.*row.part;
    table.rows.push_back({row.name, signed_text(part), percent(part / error.measured), row.meaning});
  }
  return table;
}

Table worst_nodes_table(const ReplayError& error) {
  std::vector<const ReplayNodeError*> nodes;
  for (const ReplayNodeError& node : error.nodes) nodes.push_back(&node);
  const auto miss = [](const ReplayNodeError* each) {
    const Seconds difference = each->predicted - each->node.alone;
    return max(difference, Seconds(0) - difference);
  };
  std::stable_sort(nodes.begin(), nodes.end(), [&](auto* a, auto* b) { return miss(a) > miss(b); });
  Table table =
      table_of(word_columns("nodes that are missed most"), figure_columns("predicted", "alone", "in the step"));
  for (const ReplayNodeError* each : nodes) {
    if (table.rows.size() == kWorstNodes) break;
    table.rows.push_back(
        {each->node.name, to_text(each->predicted), to_text(each->node.alone), to_text(each->node.in_step)});
  }
  return table;
}

constexpr std::size_t kShownNodes = 12;

std::string layout_text(const ReplayOrder& order, std::size_t ranks) {
  if (ranks == 1) return fmt::format("{:g} samples", order.batch);
  if (order.stages > 1)
    return fmt::format("{:g} samples in {} micro-batches through {} stages", order.batch, order.micro_batches,
                       order.stages);
  const char* const updates[] = {"all-reduce", "sharded update", "parameter servers"};
  return fmt::format("{:g} samples a rank, {}", order.batch, updates[static_cast<std::size_t>(order.update)]);
}

Table times_table(const char* what) {
  Table table = table_of(word_columns(what), figure_columns("alone", "in the step", "longer"));
  return table;
}

std::string longer_text(Seconds alone, Seconds in_step) {
  return alone > Seconds(0) ? fmt::format("{:+.0f} %", (in_step / alone - 1) * 100) : "-";
}

std::vector<PageBlock> nodes_blocks(const ReplayRun& run) {
  std::vector<const ReplayNode*> nodes;
  for (const ReplayNode& node : run.nodes) nodes.push_back(&node);
  std::stable_sort(nodes.begin(), nodes.end(), [](auto* a, auto* b) { return a->in_step > b->in_step; });
  Table table = times_table("longest nodes");
  for (const ReplayNode* node : nodes) {
    if (table.rows.size() == kShownNodes) break;
    table.rows.push_back(
        {node->name, to_text(node->alone), to_text(node->in_step), longer_text(node->alone, node->in_step)});
  }
  std::vector<PageBlock> blocks{PageTable{std::move(table)}};
  if (nodes.size() > kShownNodes)
    blocks.emplace_back(PageText{fmt::format("... and {} more in the run file", nodes.size() - kShownNodes)});
  return blocks;
}

// The sums are over all nodes, those of a pipeline over its stages.
Table sums_table(const ReplayRun& run) {
  Seconds alone[2], in_step[2];
  for (const ReplayNode& node : run.nodes) {
    alone[node.exchange ? 1 : 0] += node.alone;
    in_step[node.exchange ? 1 : 0] += node.in_step;
  }
  Table table = times_table("sum of");
  const char* const names[] = {"kernels", "exchanges"};
  for (int i = 0; i < 2; ++i)
    if (in_step[i] > Seconds(0))
      table.rows.push_back({names[i], to_text(alone[i]), to_text(in_step[i]), longer_text(alone[i], in_step[i])});
  return table;
}

std::string numbers_text(const ReplayRun& run) {
  if (run.numbers == ReplayNumbers::own_operands) return "Kernels ran on operands of their own: nothing was learnt.";
  return fmt::format(
      "The network learnt: after a step its weights were those of one rank on the joined batch, to {:.1g} of the "
      "largest.",
      run.weights_error);
}

std::string clocks_text(const ReplayRun& run) {
  if (run.clocks.size() < 2) return {};
  Seconds lead, error;
  double drift = 0;
  for (const ReplayClock& clock : run.clocks) {
    lead = max(lead, max(clock.lead, Seconds(0) - clock.lead));
    error = max(error, clock.error);
    drift = std::max(drift, std::abs(clock.drift));
  }
  return fmt::format(
      "Clocks: up to {} from rank 0's, drifting by up to {:.2g} us a second; spans of different ranks are comparable "
      "to "
      "{}.",
      to_text(lead), drift * 1e6, to_text(error));
}

}  // namespace

Page replay_error_page(const ReplayRun& run, const ReplayError& error, double bound) {
  Page page{replay_title(run), {}, {}, ""};
  page.add({PageText{fmt::format("predicted {}, measured {}: {} ({} {:g} %)", to_text(error.predicted),
                                 to_text(error.measured), percent(error.relative()),
                                 std::abs(error.relative()) <= bound ? "within" : "beyond", bound * 100)}});
  page.add({PageTable{split_table(error)}});
  page.add({PageTable{worst_nodes_table(error)}});
  if (!error.warnings.empty()) page.add({PageList{error.warnings, true}});
  return page;
}

std::string replay_title(const ReplayRun& run) {
  const std::size_t ranks = run.hosts.size(), hosts = std::set(run.hosts.begin(), run.hosts.end()).size();
  const std::string by = ranks > 1 ? " by " + run.order.backend : "";
  return fmt::format("{}, {}{}, {} rank{} on {} host{}", run.order.workload, layout_text(run.order, ranks), by, ranks,
                     ranks == 1 ? "" : "s", hosts, hosts == 1 ? "" : "s");
}

Page replay_page(const ReplayRun& run) {
  Page page{replay_title(run), {}, {}, ""};
  const SampleStatistics& time = run.step_time;
  page.add({PageText{fmt::format("step {} (median of {}; half of them within {} and {})", to_text(time.median),
                                 time.count, to_text(time.lower_quartile), to_text(time.upper_quartile))}});
  page.add({PageTable{sums_table(run)}});
  page.add(nodes_blocks(run));
  page.add({PageText{numbers_text(run)}});
  if (const std::string clocks = clocks_text(run); !clocks.empty()) page.add({PageText{clocks}});
  return page;
}

}  // namespace mlsim::reports
