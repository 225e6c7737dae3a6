// A table of text with aligned columns, for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/wrapped_text.hpp"

namespace mlsim::reports {

enum class Align { left, right };

struct TableColumn {
  std::string heading;
  Align align = Align::left;
  bool whole = false;  // never wrapped: names and figures
};

/// Every row has one cell for each column; missing cells are empty.
struct TextTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

/// A table of these columns and no rows; the first `words` are words, the others whole.
TextTable empty_table(const std::vector<std::string>& headings, std::size_t words);

/// Columns two spaces apart, each line ended by a newline, no trailing spaces; the line of headings is left out where
/// all are empty. A table wider than `width` columns of the terminal has its widest columns wrapped until it fits, but
/// for those that stay whole.
std::string to_text(const TextTable& table, std::size_t width = kPageWidth);

/// The table, and below it what its columns mean.
std::string with_note(const TextTable& table, const std::string& note);

}  // namespace mlsim::reports
