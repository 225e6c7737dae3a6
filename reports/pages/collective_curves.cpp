#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/text/units_text.hpp"
#include "reports/answers/answer_texts.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

Table collective_table(const Prediction& p) {
  const auto& c = *p.collective;
  Table table{"figures", "The answer in figures", {{"figure"}, {"value"}}};
  const auto add = [&](const char* name, const std::string& value) { table.rows.push_back({name, value}); };
  add("time", figure_text(p.step.time));
  if (p.interval.step_time[1] > 0) add("in nine runs of ten", interval_text<Seconds>(p.interval.step_time));
  add("algorithm bandwidth", to_text(c.algorithm_bandwidth));
  add("bus bandwidth", to_text(c.bus_bandwidth));
  add("backend", c.backend.empty() ? "none in particular" : c.backend);
  add("algorithm", c.algorithm);
  if (c.messages) add("messages of a rank, one after the other", fmt::format("{:g}", *c.messages));
  add("trust", fmt::format("{}: {}", name(p.trust.level), p.trust.why.text));
  return table;
}

PageSection time_section(const Prediction& p) {
  Table table{"parts", "Where the time goes", {{"part"}, {"time", "s"}}};
  table.rows = {{"latency", cell(p.collective->latency)}, {"bytes", cell(p.collective->transfer)}};
  PageChart chart{"parts-chart",
                  "Where the time goes",
                  "What one byte would take, and the rest, which goes with the bytes.",
                  table.id,
                  0,
                  {"part", ""},
                  {"time", "s"},
                  {{"time", 1, SeriesStyle::bars}}};
  chart.lying = true;
  return {"parts", "Where the time goes", {std::move(chart), PageTable{std::move(table), true}}};
}

// The first column is the payload, then comes a line each; a payload that a line has not stays empty there.
Table curves_of(const std::vector<CollectivePlot>& lines) {
  Table table{"curves", "Time by payload", {{"payload", "B"}}};
  std::map<double, TableCells> rows;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    table.columns.push_back({lines[i].name, "s"});
    for (const CollectivePlot::Point& point : lines[i].points) {
      TableCells& row = rows[point.payload.value];
      row.resize(lines.size() + 1);
      row[0] = cell(point.payload);
      row[i + 1] = cell(point.time);
    }
  }
  for (auto& [payload, row] : rows) table.rows.push_back(std::move(row));
  return table;
}

}  // namespace

Page collective_answer_page(const Prediction& prediction, const PageOrigin& origin) {
  Page page;
  page.title = fmt::format("{} on {}", prediction.inputs.workload, prediction.inputs.topology);
  page.made_by = origin.made_by;
  page.answer.push_back(collective_headline(prediction) + ".");
  PageSection answer{"answer", "The answer", {}};
  if (!prediction.warnings.empty()) answer.blocks.emplace_back(PageList{prediction.warnings, true});
  answer.blocks.emplace_back(PageTable{collective_table(prediction)});
  page.sections.push_back(std::move(answer));
  page.sections.push_back(time_section(prediction));
  page.sections.push_back(basis_section({{"this answer", prediction.inputs.topology, &prediction}}));
  page.sections.push_back(repeat_section(origin, &prediction));
  return page;
}

PageSection curves_section(const std::vector<CollectivePlot>& lines) {
  Table table = curves_of(lines);
  PageChart chart{"curves-chart",
                  "Time of a collective by its payload",
                  fmt::format("The time against the payload, {} line{}.", lines.size(), lines.size() == 1 ? "" : "s"),
                  table.id,
                  0,
                  {"payload of a rank", "B", true},
                  {"time", "s", true},
                  {}};
  for (std::size_t i = 0; i < lines.size(); ++i) chart.series.push_back({lines[i].name, i + 1});
  return {"curves", "Time by payload", {std::move(chart), PageTable{std::move(table), true}}};
}

}  // namespace mlsim::reports
