#include "reports/renderers/renderers.hpp"

#include <fmt/format.h>

#include "core/text/csv.hpp"

namespace mlsim::reports {
namespace {

bool has_unit(const TableColumn& column) {
  return !column.unit.empty() && column.unit != "1" && column.unit != "share";
}

}  // namespace

std::string csv_text(const Table& table) {
  std::string text;
  for (const TableColumn& column : table.columns) {
    text += text.empty() ? "" : ",";
    text += csv_field(has_unit(column) ? fmt::format("{} ({})", column.heading, column.unit) : column.heading);
  }
  text += "\r\n";
  for (const TableCells& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i > 0 ? "," : "") + (row[i].value ? fmt::format("{}", *row[i].value) : csv_field(row[i].text));
    text += "\r\n";
  }
  return text;
}

}  // namespace mlsim::reports
