#include "reports/page/page.hpp"

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

Table candidate_table(const std::string& id, const std::string& caption) {
  Table table{id, caption, {{"system"}, {"accelerators", "1"}, {"global batch", "1"}, {"time to target", "s"}}};
  add_range_columns(table, "time", "s");
  table.columns.push_back({"billed", "s"});
  add_range_columns(table, "billed", "s");
  table.columns.push_back({"price", "USD/h"});
  table.columns.push_back({"cost", "USD"});
  table.columns.push_back({"cost on the front", "USD"});
  return table;
}

void Page::add(std::vector<PageBlock> blocks) {
  if (!blocks.empty()) sections.push_back({"", "", std::move(blocks)});
}

Page table_page(Table table, const std::string& note) {
  Page page;
  page.add({PageTable{std::move(table)}});
  if (!note.empty()) page.add({PageText{note}});
  return page;
}

std::vector<const Table*> tables_of(const Page& page) {
  std::vector<const Table*> tables;
  for (const PageSection& section : page.sections)
    for (const PageBlock& block : section.blocks)
      if (const auto* table = std::get_if<PageTable>(&block)) tables.push_back(&table->table);
  return tables;
}

}  // namespace mlsim::reports
