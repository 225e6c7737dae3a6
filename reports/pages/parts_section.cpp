#include "reports/pages/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/answers/answer_parts.hpp"

namespace mlsim::reports {
namespace {

const StepBreakdown& whole_of(const PagePoint& point, Seconds StepBreakdown::*) { return point.prediction->step; }
const Prediction::MemoryParts& whole_of(const PagePoint& point, Bytes Prediction::MemoryParts::*) {
  return point.prediction->memory.parts;
}

// Lists the parts that any of the points has.
template <class Part, std::size_t N>
std::vector<Part> present(const Part (&parts)[N], const PagePoints& points) {
  std::vector<Part> some;
  for (const Part& each : parts)
    if (std::any_of(points.begin(), points.end(),
                    [&](const auto& point) { return (whole_of(point, each.part).*each.part).value > 0; }))
      some.push_back(each);
  return some;
}

PageChart bar_chart(const Table& table, const std::string& title, const std::string& summary, const std::string& by,
                    const ChartAxis& y, std::size_t parts) {
  PageChart chart{table.id, title, summary, table.id, 0, {by, "", false}, y, {}};
  for (std::size_t i = 0; i < parts; ++i)
    chart.series.push_back({table.columns[i + 1].heading, i + 1, SeriesStyle::bars});
  return chart;
}

}  // namespace

PageSection step_section(const PagePoints& points, const std::string& by) {
  PageSection section{"step", "What a step is made of", {}};
  const auto parts = present(kStepParts, points);
  Table table{"step", "Parts of a step by " + by, {{by}}};
  for (const auto& part : parts) table.columns.push_back({part.name, "s"});
  table.columns.push_back({"whole step", "s"});
  add_range_columns(table, "step", "s");
  for (const PagePoint& point : points) {
    TableCells row{point.label};
    for (const auto& part : parts) row.push_back(cell(whole_of(point, part.part).*part.part));
    row.push_back(cell(point.prediction->step.time));
    add_range<Seconds>(row, point.prediction->interval.step_time);
    table.rows.push_back(std::move(row));
  }
  section.blocks.emplace_back(bar_chart(table, "Step time by " + by, "the parts of each step, stacked.", by,
                                        {"step time", "s", false}, parts.size()));
  section.blocks.emplace_back(PageTable{std::move(table), true});
  return section;
}

PageSection memory_section(const PagePoints& points, const std::string& by) {
  PageSection section{"memory", "Memory against its limit", {}};
  const auto parts = present(kMemoryParts, points);
  Table table{"memory", "Memory of each accelerator by " + by, {{by}}};
  for (const auto& part : parts) table.columns.push_back({part.name, "B"});
  table.columns.push_back({"all", "B"});
  table.columns.push_back({"limit", "B"});
  table.columns.push_back({"batch per accelerator", "1"});
  table.columns.push_back({"largest that fits", "1"});
  for (const PagePoint& point : points) {
    const auto& memory = point.prediction->memory;
    TableCells row{point.label};
    for (const auto& part : parts) row.push_back(cell(whole_of(point, part.part).*part.part));
    row.push_back(cell(memory.per_accelerator));
    row.push_back(memory.capacity.value > 0 ? cell(memory.capacity) : TableCell{});
    row.push_back(count_cell(point.prediction->inputs.batch_per_accelerator));
    row.push_back(count_cell(memory.largest_batch_per_accelerator));
    table.rows.push_back(std::move(row));
  }
  PageChart chart = bar_chart(table, "Memory by " + by, "its parts, stacked, and the limit.", by,
                              {"memory of each accelerator", "B", false}, parts.size());
  chart.series.push_back({"limit", table.column("limit"), SeriesStyle::dashed});
  section.blocks.emplace_back(std::move(chart));
  section.blocks.emplace_back(PageTable{std::move(table), true});
  return section;
}

}  // namespace mlsim::reports
