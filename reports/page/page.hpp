// A `Page` is a report as a value: sentences, tables, charts, a timeline, sliders and lists under headings, whatever it
// is written as. A terminal and a report's file show arrangements of the same blocks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "reports/namespace.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::reports {

/// A `Table` holds what people read and the numbers behind it, whatever it is written as.
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

enum class SeriesStyle { line, dashed, points, marks, bars };  // marks: large hollow points round others

struct ChartSeries {
  std::string name;
  std::size_t y = 0;  // column; rows without a number in it are left out
  SeriesStyle style = SeriesStyle::line;
  std::optional<std::size_t> low = {}, high = {};  // columns of a band round it
};

struct ChartAxis {
  std::string title;
  std::string unit;  // as of a column
  bool logarithmic = false;
};

/// A `PageChart` is drawn from the numbers of one of the page's tables.
struct PageChart {
  std::string id;  // unique on its page
  std::string title;
  std::string summary;  // for those who do not see it
  std::string table;    // id of the table it is drawn from
  std::size_t x = 0;    // column; of bars the category, of which any word or number will do
  ChartAxis x_axis, y_axis;
  std::vector<ChartSeries> series;
  std::vector<std::size_t> label = {};  // columns that name a point
  bool named = false;                   // names stand beside the points where they are few
  std::vector<double> ratios = {};      // lines y = ratio * x, dashed
  bool lying = false;                   // bars go to the right
};

struct PageText {
  std::string text;
};

struct PageList {
  std::vector<std::string> items;
  bool warnings = false;
};

struct PageItem {
  std::string label;  // empty: goes on below the last one
  std::string text;
};

/// `PageItems` are words or a sentence or two behind each label.
struct PageItems {
  std::vector<PageItem> items;
};

/// `PageVerbatim` has lines that stay as they are: something to be typed into a shell, another program's table.
struct PageVerbatim {
  std::string text;
};

/// A `PageTimeline` is the step of each class of ranks, a lane for each stream.
struct PageTimeline {
  std::string title, summary;
  Timeline timeline;
};

/// `PageSliders` are sliders of price, deadline and batch over a table of candidates, each with time and what is
/// billed; the cheapest that ends in time is answered on the page itself. The table is a candidate_table().
struct PageSliders {
  std::string id, table;
  double deadline = 0;                    // s, where the slider stands first
  double confidence = 0.9;                // probability with which a candidate must end in time
  std::vector<std::string> systems = {};  // whose prices have sliders, the others keep theirs; empty: all
};

/// The columns are "system", "accelerators", "global batch", "time", "billed" with their ranges, and "price" of all
/// accelerators.
Table candidate_table(const std::string& id, const std::string& caption);

/// A `PageTable` is a table; where it is `folded`, its caption alone shows until it is opened.
struct PageTable {
  Table table;
  bool folded = false;
};

using PageBlock =
    std::variant<PageText, PageList, PageItems, PageVerbatim, PageTable, PageChart, PageTimeline, PageSliders>;

/// A section has an empty line before it on a terminal, and none between its blocks.
struct PageSection {
  std::string id, heading;  // both may be empty: the blocks speak for themselves
  std::vector<PageBlock> blocks;
};

struct Page {
  std::string title;
  std::vector<std::string> answer;  // sentences, the most wanted first
  std::vector<PageSection> sections;
  std::string made_by;  // "mlsim 0.3.0"

  /// Adds a section without a heading; none where there are no blocks.
  void add(std::vector<PageBlock> blocks);
};

/// Makes a page of a table, and below it what its columns mean.
Page table_page(Table table, const std::string& note = {});

/// Lists all tables of the page, in its order.
std::vector<const Table*> tables_of(const Page& page);

}  // namespace mlsim::reports
