// A report as markdown: the sentences, lists and tables of its page; what charts show stands in the tables.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/report_page.hpp"

namespace mlsim::reports {

std::string page_markdown(const ReportPage& page);

}  // namespace mlsim::reports
