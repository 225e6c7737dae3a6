// A terminal's text has the sentences, items, lists and tables of a page; what charts show stands in the tables.
#pragma once

#include <cstddef>
#include <string>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

struct TextStyle {
  std::size_t width = 80;  // columns
  bool color = false;
};

/// Writes the title and the answer, then the sections without their headings, an empty line before each. Lines have at
/// most `width` columns but for what stays as it is; no trailing spaces.
std::string page_text(const Page& page, const TextStyle& style);

}  // namespace mlsim::reports
