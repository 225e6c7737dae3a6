// A report is written here as one HTML file that asks for nothing beside itself.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// The file holds styles, scripts and Chart.js; its tables are read without scripts too. Throws Unavailable where mlsim
/// was built without Chart.js.
std::string page_html(const Page& page);

/// Returns "3.9.1", for example. Throws Unavailable where mlsim was built without Chart.js.
std::string chart_library_version();

}  // namespace mlsim::reports
