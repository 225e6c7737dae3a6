// Published and predicted values are shown here as a reader wants them; the board is a CSV of all of them.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/cases/metric.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

/// Writes at most ten characters, with the unit where there is one: "243260/s", "7.9 min", "50.56 USD", "0.622".
std::string value_text(Metric metric, double value);

/// Writes errors as "3.2 %", whatever their size.
std::string share_text(double share);
/// Writes "+3.2 %".
std::string signed_share_text(double share);

/// The columns are id, metric, role, published, predicted (or "refused") and held ("-" without an interval), sorted by
/// id so that a difference shows the cases that moved; figures are in SI units and USD, to four digits.
std::string board_csv(const ValidationReport& report);

}  // namespace mlsim::reports
