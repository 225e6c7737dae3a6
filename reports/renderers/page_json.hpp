// This JSON is the data from which the scripts of a report's page draw charts and answer sliders.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// The JSON is one object: "title", "tables" by id with "caption", "columns" and "rows" (numbers in the columns' units,
/// words, or null), "charts" and "sliders". Bytes that are not UTF-8 become U+FFFD.
std::string page_json(const Page& page);

}  // namespace mlsim::reports
