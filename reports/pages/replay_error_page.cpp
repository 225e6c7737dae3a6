#include "reports/pages/replay_error_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text/units_text.hpp"
#include "reports/pages/replay_page.hpp"

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

}  // namespace mlsim::reports
