// Markdown has the sentences, items, lists and tables of a page; what charts show stands in the tables.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

std::string page_markdown(const Page& page);

/// Figures are on the right; words that would be markup are text.
std::string to_markdown(const Table& table);

}  // namespace mlsim::reports
