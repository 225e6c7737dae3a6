// The rows of a stored sweep are written here as files that other programs read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/namespace.hpp"
#include "studies/sweep/sweep_row.hpp"

namespace mlsim::reports {

/// Writes a line of headings, then a line a point: its words as typed, status, reason, and the figures in SI units and
/// USD (RFC 4180; empty where there is none).
std::string rows_csv(const std::string& store);

/// A `NamedRow` is a row with the words of its point, by axis.
struct NamedRow {
  std::vector<std::pair<std::string, std::string>> words;
  SweepRow row;
};

/// Writes a NamedRow a line as JSON; what there is none of is left out. The schema is
/// reports/studies/sweep_row.schema.json.
std::string rows_json_lines(const std::string& store);

}  // namespace mlsim::reports
