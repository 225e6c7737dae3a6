#include "reports/page/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reports/figure_text.hpp"

namespace mlsim::reports {

TableCell cell(Seconds time) { return {figure_text(time), time.value}; }
TableCell cell(Bytes size) { return {figure_text(size), size.value}; }
TableCell cell(Usd money) { return {figure_text(money), money.value}; }
TableCell cell(PerSecond samples) { return {figure_text(samples), samples.value}; }
TableCell cell(UsdPerSecond price) {
  const double hourly = price.value * 3600;
  return {figure_text(Usd(hourly)) + "/h", hourly};
}
TableCell count_cell(double count) { return {figure_text(count), count}; }
TableCell share_cell(double share) { return {percent_text(share), share}; }

TableColumn name_column(const std::string& heading) { return {heading, "", true}; }
TableColumn figure_column(const std::string& heading) { return {heading, "1"}; }

std::size_t Table::column(std::string_view heading) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.heading == heading; });
  if (found == columns.end()) throw std::logic_error(fmt::format("table {} has no column \"{}\"", id, heading));
  return static_cast<std::size_t>(found - columns.begin());
}

Table columns_of(const Table& table, const std::vector<std::string_view>& headings) {
  Table some{table.id, table.caption, {}, std::vector<TableCells>(table.rows.size())};
  for (const std::string_view heading : headings) {
    const std::size_t column = table.column(heading);
    some.columns.push_back(table.columns[column]);
    for (std::size_t r = 0; r < table.rows.size(); ++r) some.rows[r].push_back(table.rows[r][column]);
  }
  return some;
}

void add_range_columns(Table& table, const std::string& what, const std::string& unit) {
  table.columns.push_back({what + ", 5 %", unit});
  table.columns.push_back({what + ", 95 %", unit});
}

}  // namespace mlsim::reports
