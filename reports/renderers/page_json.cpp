#include "reports/renderers/renderers.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace mlsim::reports {
namespace {

using PageJson = nlohmann::ordered_json;

constexpr std::array<const char*, 5> kSeriesStyles{"line", "dashed", "points", "marks", "bars"};

PageJson value_json(const TableCell& cell) {
  if (cell.value) return *cell.value;
  return cell.text.empty() ? PageJson() : PageJson(cell.text);
}

PageJson table_json(const Table& table) {
  PageJson columns = PageJson::array(), rows = columns;
  for (const TableColumn& column : table.columns)
    columns.push_back({{"heading", column.heading}, {"unit", column.unit}});
  for (const auto& row : table.rows) {
    PageJson cells = PageJson::array();
    for (const TableCell& cell : row) cells.push_back(value_json(cell));
    rows.push_back(std::move(cells));
  }
  return {{"caption", table.caption}, {"columns", std::move(columns)}, {"rows", std::move(rows)}};
}

PageJson index_json(const std::optional<std::size_t>& column) { return column ? PageJson(*column) : PageJson(); }

PageJson axis_json(const ChartAxis& axis) {
  return {{"title", axis.title}, {"unit", axis.unit}, {"logarithmic", axis.logarithmic}};
}

PageJson chart_json(const PageChart& chart) {
  PageJson series = PageJson::array();
  for (const ChartSeries& s : chart.series)
    series.push_back({{"name", s.name},
                      {"y", s.y},
                      {"style", kSeriesStyles[static_cast<std::size_t>(s.style)]},
                      {"low", index_json(s.low)},
                      {"high", index_json(s.high)}});
  return {{"id", chart.id},
          {"table", chart.table},
          {"x", chart.x},
          {"xAxis", axis_json(chart.x_axis)},
          {"yAxis", axis_json(chart.y_axis)},
          {"series", std::move(series)},
          {"label", chart.label},
          {"named", chart.named},
          {"ratios", chart.ratios},
          {"lying", chart.lying}};
}

PageJson sliders_json(const PageSliders& sliders) {
  return {{"id", sliders.id},
          {"table", sliders.table},
          {"deadline", sliders.deadline},
          {"confidence", sliders.confidence},
          {"systems", sliders.systems}};
}

}  // namespace

std::string page_json(const Page& page) {
  PageJson tables = PageJson::object(), charts = PageJson::array(), sliders = charts;
  for (const Table* table : tables_of(page)) tables[table->id] = table_json(*table);
  for (const PageSection& section : page.sections) {
    for (const PageBlock& block : section.blocks) {
      if (const auto* chart = std::get_if<PageChart>(&block)) charts.push_back(chart_json(*chart));
      if (const auto* group = std::get_if<PageSliders>(&block)) sliders.push_back(sliders_json(*group));
    }
  }
  const PageJson json{{"title", page.title},
                      {"tables", std::move(tables)},
                      {"charts", std::move(charts)},
                      {"sliders", std::move(sliders)}};
  return json.dump(-1, ' ', false, PageJson::error_handler_t::replace);
}

}  // namespace mlsim::reports
