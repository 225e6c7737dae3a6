// The rows of a stored sweep are written here as files that other programs read.
#pragma once

#include <string>

#include "reports/namespace.hpp"

namespace mlsim::reports {

/// Writes a line of headings, then a line a point: its words as typed, status, reason, and the figures in SI units and
/// USD (RFC 4180; empty where there is none).
std::string rows_csv(const std::string& store);

/// Writes a JSON object a line; what there is none of is left out.
std::string rows_json_lines(const std::string& store);

}  // namespace mlsim::reports
