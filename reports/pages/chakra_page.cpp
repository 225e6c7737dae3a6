#include "reports/pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/units_text.hpp"

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

}  // namespace mlsim::reports
