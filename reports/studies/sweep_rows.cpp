#include "reports/studies/sweep_rows.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text/csv.hpp"
#include "studies/sweep/store.hpp"

namespace mlsim::reports {
namespace {

std::string csv_cell(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : csv_field(*text);
}

std::string status_of(const SweepRow& row) { return std::string(name(row.status)); }

}  // namespace

std::string rows_csv(const std::string& store) {
  const std::vector<SweepAxis> axes = store_contents(store).identity.axes;
  std::string csv = "point";
  for (const SweepAxis& axis : axes) csv += "," + csv_cell(axis.key);
  csv += ",status,reason";
  for (const RowColumn& column : row_columns()) csv += "," + column.name;
  csv += "\n";
  for_each_row(store, [&](const SweepRow& row) {
    csv += fmt::to_string(row.point);
    for (const std::string& value : values_of_point(axes, row.point)) csv += "," + csv_cell(value);
    csv += "," + status_of(row) + "," + csv_cell(row.reason);
    for (std::size_t c = 0; c < row_columns().size(); ++c)
      csv += "," + (c < row.cells.size() ? csv_cell(row.cells[c]) : std::string());
    csv += "\n";
  });
  return csv;
}

std::string rows_json_lines(const std::string& store) {
  const std::vector<SweepAxis> axes = store_contents(store).identity.axes;
  std::string lines;
  for_each_row(store, [&](const SweepRow& row) {
    nlohmann::ordered_json json{{"point", row.point}};
    const auto values = values_of_point(axes, row.point);
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (!values[a].empty()) json[axes[a].key] = values[a];
    json["status"] = status_of(row);
    if (!row.reason.empty()) json["reason"] = row.reason;
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (const auto* number = std::get_if<double>(&row.cells[c])) json[row_columns()[c].name] = *number;
      if (const auto* text = std::get_if<std::string>(&row.cells[c])) json[row_columns()[c].name] = *text;
    }
    lines += json.dump() + "\n";
  });
  return lines;
}

}  // namespace mlsim::reports
