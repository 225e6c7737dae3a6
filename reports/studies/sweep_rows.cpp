#include "reports/studies/sweep_rows.hpp"

#include <fmt/format.h>

#include "core/text/csv.hpp"
#include "core/text/json_schema_writer.hpp"
#include "studies/sweep/store.hpp"

namespace mlsim::reports {
namespace {

std::string csv_cell(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : csv_field(*text);
}

std::string status_of(const SweepRow& row) { return std::string(name(row.status)); }

// A column gives none where the row has no cells.
template <class Value>
std::optional<Value> cell_of(const SweepRow& row, std::size_t column) {
  const auto* value = column < row.cells.size() ? std::get_if<Value>(&row.cells[column]) : nullptr;
  return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace

template <class Io>
void describe(Io& io, const NamedRow& named) {
  const SweepRow& row = named.row;
  io.field("point", row.point);
  io.other_fields(named.words);
  io.word("status", row.status);
  io.field_if_any("reason", if_any(row.reason));
  for (std::size_t c = 0; c < row_columns().size(); ++c) {
    const RowColumn& column = row_columns()[c];
    if (column.number)
      io.field_if_any(column.name.c_str(), cell_of<double>(row, c));
    else
      io.field_if_any(column.name.c_str(), cell_of<std::string>(row, c));
  }
}

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
    NamedRow named{{}, row};
    const auto values = values_of_point(axes, row.point);
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (!values[a].empty()) named.words.emplace_back(axes[a].key, values[a]);
    lines += JsonWriter::line("row", named) + "\n";
  });
  return lines;
}

}  // namespace mlsim::reports

template std::string mlsim::json_schema<mlsim::reports::NamedRow>();
