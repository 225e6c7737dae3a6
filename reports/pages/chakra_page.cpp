#include "reports/pages/chakra_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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
                  {"Kernels", fmt::format("{} on rank {}, which ends last", to_text(replay.step.busy[last]), last)}}}});
  if (Table table = ways_table(replay.ways); !table.rows.empty()) page.add({PageTable{std::move(table)}});
  if (!replay.run.warnings.empty()) page.add({PageList{replay.run.warnings, true}});
  return page;
}

std::string chakra_json(const ChakraReplay& replay) {
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array(), exchanges = ranks;
  for (std::size_t i = 0; i < replay.step.ends.size(); ++i)
    ranks.push_back({{"rank", i}, {"end_s", replay.step.ends[i].value}, {"kernels_s", replay.step.busy[i].value}});
  for (const ExchangeWay& way : replay.ways.all)
    exchanges.push_back({{"kind", name(way.kind)},
                         {"groups", way.groups},
                         {"count", way.count},
                         {"payload_bytes", way.total.value},
                         {"how", way.plan.name()}});
  const nlohmann::ordered_json json{{"topology", replay.cluster},
                                    {"step_time_s", replay.step.time.value},
                                    {"ranks", ranks},
                                    {"exchanges", exchanges},
                                    {"warnings", replay.run.warnings}};
  return json.dump(2) + "\n";
}

}  // namespace mlsim::reports
