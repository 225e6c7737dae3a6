#include "reports/renderers/renderers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mlsim::reports {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 4;                       // no column is squeezed below this
constexpr std::size_t kReadable = 12;                       // words and names are squeezed below this at last
constexpr std::size_t kNarrowWords = 24, kBelowIndent = 4;  // a last column narrower than this goes below its row

using TextRow = std::vector<std::string>;
using Widths = std::vector<std::size_t>;

std::size_t sum(const Widths& widths) {
  return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
}

bool is_figure(const TableColumn& column) { return !column.unit.empty(); }
bool is_words(const TableColumn& column) { return column.unit.empty() && !column.whole; }

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, text_width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

// Takes the excess over `room` from the widest column above its floor, one terminal column at a time.
void squeeze(Widths& widths, const Widths& floors, std::size_t room) {
  for (std::size_t total = sum(widths); total > room; --total) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (widths[c] > floors[c] && (widest == nullptr || widths[c] > *widest)) widest = &widths[c];
    if (widest == nullptr) return;
    --*widest;
  }
}

// `TableText` holds printable cells, as many as there are columns; headings come first where there are any.
struct TableText {
  std::vector<TableColumn> columns;
  std::vector<TextRow> rows;
  bool headed = false;
};

TableText printable_rows(const Table& table) {
  TableText text{table.columns, {}, false};
  TextRow headings;
  for (const TableColumn& column : table.columns) {
    headings.push_back(printable(column.heading));
    text.headed = text.headed || !headings.back().empty();
  }
  if (text.headed) text.rows.push_back(std::move(headings));
  for (const TableCells& row : table.rows) {
    TextRow& cells = text.rows.emplace_back(table.columns.size());
    for (std::size_t c = 0; c < std::min(cells.size(), row.size()); ++c) cells[c] = printable(row[c].text);
  }
  return text;
}

Widths natural_widths(const TableText& table) {
  Widths widths(table.columns.size(), 0);
  for (const TextRow& row : table.rows)
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], text_width(row[c]));
  return widths;
}

// A heading counts here with its longest word only.
Widths body_widths(const TableText& table) {
  Widths widths(table.columns.size(), 0);
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (std::size_t c = 0; c < widths.size(); ++c)
      widths[c] =
          std::max(widths[c], r == 0 && table.headed ? longest_word(table.rows[r][c]) : text_width(table.rows[r][c]));
  return widths;
}

// Moves the unit of a column into its heading where all of its figures are in that unit: "throughput samples/s".
TableText headed_with_units(TableText table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string unit = " " + table.columns[c].unit;
    const auto in_unit = [&](const TextRow& row) { return row[c].empty() || row[c].ends_with(unit); };
    if (!is_figure(table.columns[c]) || !std::all_of(table.rows.begin() + 1, table.rows.end(), in_unit)) continue;
    for (TextRow& row : table.rows)
      if (!row[c].empty() && &row != &table.rows.front()) row[c].resize(row[c].size() - unit.size());
    table.rows.front()[c] += unit;
  }
  return table;
}

// Columns give way in this order: headings, words, names, figures.
Widths fitted_widths(const TableText& table, std::size_t room) {
  Widths widths = natural_widths(table);
  squeeze(widths, body_widths(table), room);
  const auto give_way = [&](std::size_t least, const auto& may) {
    Widths floors = widths;
    for (std::size_t c = 0; c < floors.size(); ++c)
      if (may(table.columns[c])) floors[c] = std::min(floors[c], least);
    squeeze(widths, floors, room);
  };
  give_way(kReadable, is_words);
  give_way(kReadable, [](const TableColumn& column) { return !is_figure(column); });
  give_way(kNarrowest, is_words);
  give_way(kNarrowest, [](const TableColumn&) { return true; });
  return widths;
}

// The lines of a cell are indented as its text is.
TextRow cell_lines(const std::string& text, std::size_t width) {
  if (text_width(text) <= width) return {text};
  const std::size_t indent = std::min(text.find_first_not_of(' '), width / 2);
  TextRow lines = wrapped(text, width - indent);
  for (std::string& line : lines) line.insert(0, indent, ' ');
  return lines;
}

std::string row_text(const TextRow& row, const TableText& table, const Widths& widths) {
  std::vector<TextRow> cells;
  std::size_t height = 1;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    cells.push_back(cell_lines(row[c], widths[c]));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (c > 0) line.append(kGap, ' ');
      line += padded(i < cells[c].size() ? cells[c][i] : "", widths[c], is_figure(table.columns[c]));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// Tells whether the last column goes below its rows, where there is room: names that do not fit beside the others, or
// long words that would be narrow there and are the only ones.
bool goes_below(const TableText& table, const Widths& widths, std::size_t room) {
  constexpr std::size_t kLeastRoom = 60;
  const std::size_t width = widths.back(), natural = natural_widths(table).back();
  if (room < kLeastRoom || widths.size() < 2 || width == natural) return false;
  const TableColumn& last = table.columns.back();
  const bool alone = std::none_of(table.columns.begin(), table.columns.end() - 1, is_words);
  return last.whole || (is_words(last) && alone && width < kNarrowWords && natural > kNarrowWords);
}

}  // namespace

std::string to_text(const Table& table, std::size_t width) {
  if (table.columns.empty()) return {};
  TableText printed = printable_rows(table);
  if (printed.headed && sum(body_widths(printed)) > width)
    if (TableText narrower = headed_with_units(printed); sum(body_widths(narrower)) <= width)
      printed = std::move(narrower);
  Widths widths = fitted_widths(printed, width);
  const bool below = goes_below(printed, widths, width);
  if (below) {
    printed.columns.pop_back();
    widths = fitted_widths(printed, width);
  }
  std::string text;
  for (const TextRow& row : printed.rows) {
    text += row_text(row, printed, widths);
    if (below && !row.back().empty())
      text += labelled_text(std::string(kBelowIndent, ' '), row.back(), kBelowIndent, width);
  }
  return text;
}

}  // namespace mlsim::reports
