#include "reports/page/page_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/text/csv_field.hpp"
#include "reports/figure_text.hpp"

namespace mlsim::reports {
namespace {

bool has_unit(const PageColumn& column) { return !column.unit.empty() && column.unit != "1" && column.unit != "share"; }

}  // namespace

PageCell cell(Seconds time) { return {figure_text(time), time.value}; }
PageCell cell(Bytes size) { return {figure_text(size), size.value}; }
PageCell cell(Usd money) { return {figure_text(money), money.value}; }
PageCell cell(PerSecond samples) { return {figure_text(samples), samples.value}; }
PageCell cell(UsdPerSecond price) {
  const double hourly = price.value * 3600;
  return {figure_text(Usd(hourly)) + "/h", hourly};
}
PageCell count_cell(double count) { return {figure_text(count), count}; }
PageCell share_cell(double share) { return {percent_text(share), share}; }
PageCell word_cell(std::string_view words) { return {std::string(words), {}}; }

std::size_t PageTable::column(std::string_view heading) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.heading == heading; });
  if (found == columns.end()) throw std::logic_error(fmt::format("table {} has no column \"{}\"", id, heading));
  return static_cast<std::size_t>(found - columns.begin());
}

void add_range_columns(PageTable& table, const std::string& what, const std::string& unit) {
  table.columns.push_back({what + ", 5 %", unit});
  table.columns.push_back({what + ", 95 %", unit});
}

std::string csv_text(const PageTable& table) {
  std::string text;
  for (const PageColumn& column : table.columns) {
    text += text.empty() ? "" : ",";
    text += csv_field(has_unit(column) ? fmt::format("{} ({})", column.heading, column.unit) : column.heading);
  }
  text += "\r\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += (i > 0 ? "," : "") + (row[i].value ? fmt::format("{}", *row[i].value) : csv_field(row[i].text));
    text += "\r\n";
  }
  return text;
}

}  // namespace mlsim::reports
