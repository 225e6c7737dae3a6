// Tables of Markdown pages.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"

namespace mlsim::reports {

/// "| a | b |" and the end of its line.
std::string markdown_row(const std::vector<std::string>& fields);

/// The row of the headings, and the rule below it.
std::string markdown_head(const std::vector<std::string>& headings);

}  // namespace mlsim::reports
