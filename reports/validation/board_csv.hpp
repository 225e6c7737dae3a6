// The board is a CSV of every published case with its prediction, a line each.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

/// The columns are id, metric, role, published, predicted (or "refused") and held ("-" without an interval), sorted by
/// id so that a difference shows the cases that moved; figures are in SI units and USD, to four digits.
std::string board_csv(const ValidationReport& report);

}  // namespace mlsim::reports
