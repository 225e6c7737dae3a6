// A table of a report is written here with aligned columns, for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "reports/namespace.hpp"
#include "reports/page/table.hpp"
#include "reports/wrapped_text.hpp"

namespace mlsim::reports {

/// Columns are two spaces apart, figures on the right; each line ends with a newline and without spaces. The line of
/// headings is left out where all are empty. Where the table is wider than `width` columns of the terminal, headings
/// are wrapped first, then words, then names, then figures; a last column of long names or narrow words goes below its
/// rows.
std::string to_text(const Table& table, std::size_t width = kPageWidth);

}  // namespace mlsim::reports
