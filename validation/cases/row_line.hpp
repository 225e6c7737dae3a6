// A `RowLine` is a row of an embedded table of cases that has not been read but for its names.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/csv.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// Most rows are of other networks than a question, and the fields of all six thousand cost more than its answer.
struct RowLine {
  int number = 0;         // of the line in its file
  std::string_view line;  // the texts stay in the program
  std::string_view topology, workload, network;
  bool is_anchor = false;
};

struct LinedTable {
  std::string file;
  std::string_view header;
  std::vector<RowLine> rows;
};

/// Lists the tables of cases that come with mlsim, validation/published/*.csv, in order of their file names.
const std::vector<LinedTable>& lined_tables();

/// Reads the rows that `keep` says.
CsvTable read_rows(const LinedTable& table, const std::function<bool(const RowLine&)>& keep);

}  // namespace mlsim::validation
