// Text that becomes part of an HTML page is escaped here: nothing in it is taken for markup.
#pragma once

#include <string>
#include <string_view>

#include "reports/namespace.hpp"

namespace mlsim::reports {

/// The text is for elements and for attributes in double quotes. Groups of three digits are held together by narrow
/// spaces, numbers and their units by no-break spaces.
std::string html_text(std::string_view text);

/// Writes JSON for a script element: none of its characters ends the element or opens a comment.
std::string script_json(std::string_view json);

/// Makes a link that holds the text itself: "data:text/csv;charset=utf-8,...".
std::string data_link(std::string_view type, std::string_view text);

}  // namespace mlsim::reports
