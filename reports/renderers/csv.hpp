// A table of a report is written as CSV here.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/table.hpp"

namespace mlsim::reports {

/// The text follows RFC 4180, with the unit behind each heading; numbers with all their digits.
std::string csv_text(const Table& table);

}  // namespace mlsim::reports
