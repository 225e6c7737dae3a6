#include "reports/text_table.hpp"

#include <algorithm>
#include <numeric>

#include "reports/wrapped_text.hpp"

namespace mlsim::reports {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 4;  // a column is not squeezed below this

using Row = std::vector<std::string>;

std::vector<std::size_t> natural_widths(const std::vector<Row>& rows, std::size_t columns) {
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], text_width(row[c]));
  }
  return widths;
}

// Takes the excess from the widest column that may be wrapped, one terminal column at a time.
void squeeze(std::vector<std::size_t>& widths, const std::vector<TableColumn>& columns, std::size_t available) {
  auto total = std::accumulate(widths.begin(), widths.end(), std::size_t{0});
  for (; total > available; --total) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (columns[c].whole || widths[c] <= kNarrowest) continue;
      if (widest == nullptr || widths[c] > *widest) widest = &widths[c];
    }
    if (widest == nullptr) return;
    --*widest;
  }
}

std::string line_of(const std::vector<Row>& cells, std::size_t index, const TextTable& table,
                    const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    if (c > 0) line.append(kGap, ' ');
    const std::string text = index < cells[c].size() ? cells[c][index] : "";
    line += padded(text, widths[c], table.columns[c].align == Align::right);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string to_text(const TextTable& table, std::size_t width) {
  const std::size_t columns = table.columns.size();
  if (columns == 0) return {};
  std::vector<Row> rows;
  Row headings;
  for (const auto& column : table.columns) headings.push_back(printable(column.heading));
  const bool headed = std::any_of(headings.begin(), headings.end(), [](const auto& text) { return !text.empty(); });
  if (headed) rows.push_back(headings);
  for (const auto& row : table.rows) {
    Row cells(columns);
    for (std::size_t c = 0; c < std::min(columns, row.size()); ++c) cells[c] = printable(row[c]);
    rows.push_back(std::move(cells));
  }

  auto widths = natural_widths(rows, columns);
  const std::size_t gaps = kGap * (columns - 1);
  squeeze(widths, table.columns, width > gaps ? width - gaps : 0);
  std::string text;
  for (const auto& row : rows) {
    std::vector<Row> cells;
    std::size_t height = 1;
    for (std::size_t c = 0; c < columns; ++c) {
      // A cell that fits keeps its own spaces (indentation).
      cells.push_back(text_width(row[c]) <= widths[c] ? Row{row[c]} : wrapped(row[c], widths[c]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t i = 0; i < height; ++i) text += line_of(cells, i, table, widths);
  }
  return text;
}

TextTable empty_table(const std::vector<std::string>& headings, std::size_t words) {
  TextTable table;
  for (const std::string& heading : headings) {
    const bool is_word = table.columns.size() < words;
    table.columns.push_back({heading, is_word ? Align::left : Align::right, !is_word});
  }
  return table;
}

std::string with_note(const TextTable& table, const std::string& note) {
  return to_text(table) + "\n" + paragraph(note);
}

}  // namespace mlsim::reports
