#include "reports/interop/chakra_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text/units_text.hpp"
#include "reports/text_table.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {
namespace {

std::size_t last_rank(const EtStep& step) {
  return static_cast<std::size_t>(std::max_element(step.ends.begin(), step.ends.end()) - step.ends.begin());
}

std::string ways_text(const ExchangeWays& ways) {
  TextTable table{{{"exchange"},
                   {"groups", Align::right, true},
                   {"ranks", Align::right, true},
                   {"count", Align::right, true},
                   {"payload in all", Align::right, true},
                   {"how"}},
                  {}};
  for (const ExchangeWay& way : ways.all)
    table.rows.push_back({std::string(name(way.kind)), std::to_string(way.groups.size()),
                          std::to_string(way.groups.front().size()), std::to_string(way.count), to_text(way.total),
                          way.plan.name()});
  return table.rows.empty() ? "" : "\n" + to_text(table);
}

}  // namespace

std::string chakra_text(const ChakraReplay& replay) {
  const std::size_t ranks = replay.run.ranks.size(), last = last_rank(replay.step);
  std::string text = fmt::format("{} rank{} on {}\n\n  Step      {}\n  Kernels   {} on rank {}, which ends last\n",
                                 ranks, ranks == 1 ? "" : "s", replay.cluster, to_text(replay.step.time),
                                 to_text(replay.step.busy[last]), last);
  text += ways_text(replay.ways);
  for (const std::string& warning : replay.run.warnings) text += "\n" + paragraph("Warning: " + warning);
  return text;
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
