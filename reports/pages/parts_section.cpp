#include "reports/pages/parts_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

template <class Q>
struct PagePart {
  const char* name;
  Q (*of)(const Prediction&);
};

const std::array<PagePart<Seconds>, 7> kStepParts{
    {{"compute", [](const Prediction& p) { return p.step.compute; }},
     {"exposed communication", [](const Prediction& p) { return p.step.exposed_communication; }},
     {"overhead", [](const Prediction& p) { return p.step.overhead; }},
     {"optimizer", [](const Prediction& p) { return p.step.optimizer; }},
     {"input wait", [](const Prediction& p) { return p.step.input_wait; }},
     {"straggler wait", [](const Prediction& p) { return p.step.straggler_wait; }},
     {"bubble", [](const Prediction& p) { return p.step.bubble; }}}};

const std::array<PagePart<Bytes>, 6> kMemoryParts{
    {{"activations", [](const Prediction& p) { return p.memory.parts.activations; }},
     {"optimizer state", [](const Prediction& p) { return p.memory.parts.optimizer_state; }},
     {"weights", [](const Prediction& p) { return p.memory.parts.weights; }},
     {"gradients", [](const Prediction& p) { return p.memory.parts.gradients; }},
     {"workspace", [](const Prediction& p) { return p.memory.parts.workspace; }},
     {"communication buffers", [](const Prediction& p) { return p.memory.parts.buffers; }}}};

// Lists the parts that any of the points has.
template <class Parts>
auto present(const Parts& parts, const PagePoints& points) {
  std::vector<typename Parts::value_type> some;
  for (const auto& part : parts)
    if (std::any_of(points.begin(), points.end(), [&](const auto& p) { return part.of(*p.prediction).value > 0; }))
      some.push_back(part);
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
    for (const auto& part : parts) row.push_back(cell(part.of(*point.prediction)));
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
    for (const auto& part : parts) row.push_back(cell(part.of(*point.prediction)));
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
