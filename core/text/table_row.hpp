// A TableRow is one row of a table that a person recorded, read by column name; complaints name file, line and column.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "core/text/words.hpp"

namespace mlsim {

/// Throws InputError where a needed column lacks, or one is neither needed nor known.
inline void check_columns(const CsvTable& table, const std::vector<std::string>& needed,
                          const std::vector<std::string>& known) {
  std::vector<std::string> all = needed;
  all.insert(all.end(), known.begin(), known.end());
  for (const std::string& column : table.header)
    if (std::find(all.begin(), all.end(), column) == all.end())
      throw InputError(table.file + ":1", unknown_word("column", column, all));
  for (const std::string& column : needed)
    if (std::find(table.header.begin(), table.header.end(), column) == table.header.end())
      throw InputError(table.file + ":1", fmt::format("lacks the column \"{}\"", column));
}

class TableRow {
 public:
  /// The table and the row must outlive the TableRow.
  TableRow(const CsvTable& table, const CsvRow& row) : table_(table), row_(row) {}

  int line() const { return row_.line; }
  std::string place() const { return fmt::format("{}:{}", table_.file, row_.line); }
  bool has(const std::string& column) const {
    return std::find(table_.header.begin(), table_.header.end(), column) != table_.header.end();
  }
  /// Each of these needs the column.
  const std::string& text(const std::string& column) const {
    const auto at = std::find(table_.header.begin(), table_.header.end(), column) - table_.header.begin();
    return row_.fields[static_cast<std::size_t>(at)];
  }
  bool given(const std::string& column) const { return !text(column).empty(); }
  const std::string& needed(const std::string& column) const {
    if (!given(column)) throw error(column, "is empty");
    return text(column);
  }
  InputError error(const std::string& column, const std::string& reason) const {
    return {place(), fmt::format("column \"{}\": {}", column, reason)};
  }
  /// Returns what `reader` makes of a field that must not be empty; errors that it throws get the place.
  template <class Read>
  auto read(const std::string& column, Read reader) const {
    const std::string& word = needed(column);
    try {
      return reader(word);
    } catch (const InputError& e) {
      throw error(column, e.what());
    }
  }
  int count(const std::string& column, int lowest = 0) const {
    return read(column, [&](const std::string& word) { return parse_count(word, lowest); });
  }
  /// Reads a finite number.
  double number(const std::string& column) const {
    return read(column, [](const std::string& word) { return parse_number(word); });
  }
  /// Reads a rank, a stage or the like: below a million, as topologies allow.
  int index(const std::string& column) const {
    const int value = count(column);
    if (value >= 1000000) throw error(column, fmt::format("\"{}\" is not below 1 000 000", text(column)));
    return value;
  }
  /// Reads a finite number of at least 0.
  double not_negative(const std::string& column) const {
    const double value = number(column);
    if (value < 0) throw error(column, fmt::format("\"{}\" is below 0", text(column)));
    return value;
  }
  template <Worded E>
  E word(const std::string& column) const {
    return read(column, [](const std::string& each) { return parse<E>(each); });
  }

 private:
  const CsvTable& table_;
  const CsvRow& row_;
};

}  // namespace mlsim
