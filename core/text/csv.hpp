// This strict reader of comma-separated tables (RFC 4180) names file, line and column in every complaint.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mlsim {

/// Writes a field of a table of comma-separated values (RFC 4180), in quotes where it must be. What a spreadsheet would
/// take for a formula ("=...", "@...", "-1+...") begins with an apostrophe; numbers do not.
std::string csv_field(const std::string& text);

/// A CsvRow is one record. `fields` are in the order of the header; `line` is where it starts.
struct CsvRow {
  int line = 0;
  std::vector<std::string> fields;
};

struct CsvTable {
  std::string file;  // for messages
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
};

/// Reads text with a header line; lines before it that begin with "#" are comments. Quoted fields may hold commas,
/// doubled quotes and line ends; CRLF, a byte-order mark and empty lines are accepted. Throws InputError where the text
/// is empty or binary, a quote is missing or out of place, a column stands twice, or a row has too few or too many
/// fields.
CsvTable parse_csv(std::string_view text, const std::string& file);

/// Reads a file of at most 16 MiB; throws InputError where it cannot be read.
CsvTable load_csv(const std::string& path);

}  // namespace mlsim
