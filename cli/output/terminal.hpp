// A terminal is measured here for the answer that goes to it.
#pragma once

#include <cstddef>

#include <string>

#include "cli/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::cli {

/// Returns the columns for a page on stdout: what COLUMNS says, else the terminal's width, else 80; between 40 and 100.
std::size_t page_columns();

/// Writes the page at that width.
std::string terminal_text(const reports::Page& page, bool color = false);

}  // namespace mlsim::cli
