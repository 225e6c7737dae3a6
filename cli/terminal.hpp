// The terminal that an answer goes to.
#pragma once

#include <cstddef>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// Columns for a page on stdout: what COLUMNS says, else the terminal's width, else 80; between 40 and 100.
std::size_t page_columns();

}  // namespace mlsim::cli
