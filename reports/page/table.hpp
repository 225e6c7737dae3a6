// A `Table` holds what people read and the numbers behind it, whatever it is written as.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

struct TableCell {
  std::string text;
  std::optional<double> value = {};  // in the column's unit; empty for words, and where there is no text either

  TableCell() = default;
  TableCell(std::string words) : text(std::move(words)) {}
  TableCell(std::string_view words) : text(words) {}
  TableCell(const char* words) : text(words) {}
  TableCell(std::string shown, double number) : text(std::move(shown)), value(number) {}
};

using TableCells = std::vector<TableCell>;

TableCell cell(Seconds time);
TableCell cell(Bytes size);
TableCell cell(Usd money);
TableCell cell(PerSecond samples);
/// The price is shown in USD/h.
TableCell cell(UsdPerSecond price);
TableCell count_cell(double count);
/// Shows 0.931 as "93.1 %".
TableCell share_cell(double share);
template <class Q>
TableCell cell(const std::optional<Q>& quantity) {
  return quantity ? cell(*quantity) : TableCell{};
}

struct TableColumn {
  std::string heading;
  std::string unit = {};  // "s", "B", "USD", "USD/h", "samples/s", "1" of counts and ratios, "share"; empty for words
  bool whole = false;     // of names: wrapped only where nothing else gives way
};

/// A column of names is wrapped only where nothing else gives way.
TableColumn name_column(const std::string& heading);
/// A column of figures has numbers with their units in each cell, on the right.
TableColumn figure_column(const std::string& heading);
/// These make several columns in a row.
template <class... Headings>
std::vector<TableColumn> word_columns(const Headings&... headings) {
  return {TableColumn{headings}...};
}
template <class... Headings>
std::vector<TableColumn> name_columns(const Headings&... headings) {
  return {name_column(headings)...};
}
template <class... Headings>
std::vector<TableColumn> figure_columns(const Headings&... headings) {
  return {figure_column(headings)...};
}

struct Table {
  std::string id;  // unique on its page: "scaling"; empty where nothing is drawn from it
  std::string caption;
  std::vector<TableColumn> columns;
  std::vector<TableCells> rows = {};  // a missing cell is empty

  /// Finds the column of that heading; the page's builder knows its own headings.
  std::size_t column(std::string_view heading) const;
};

/// Makes a table of these columns and no rows.
template <class... Columns>
Table table_of(const Columns&... columns) {
  Table table;
  (table.columns.insert(table.columns.end(), columns.begin(), columns.end()), ...);
  return table;
}

/// Makes a table of the columns of these headings, in this order.
Table columns_of(const Table& table, const std::vector<std::string_view>& headings);

/// Adds two columns, low and high, behind those there are, for the 5th and 95th percentile of `what`.
void add_range_columns(Table& table, const std::string& what, const std::string& unit);
/// Adds the cells of such columns; two empty ones without an interval.
template <class Q>
void add_range(TableCells& row, const std::optional<Interval>& interval) {
  for (std::size_t i = 0; i < 2; ++i) row.push_back(interval ? cell(Q((*interval)[i])) : TableCell{});
}

}  // namespace mlsim::reports
