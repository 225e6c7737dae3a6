// Published and predicted values are shown here as a reader wants them.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/cases/metric.hpp"

namespace mlsim::reports {

/// Writes at most ten characters, with the unit where there is one: "243260/s", "7.9 min", "50.56 USD", "0.622".
std::string value_text(Metric metric, double value);

/// Writes errors as "3.2 %", whatever their size.
std::string share_text(double share);
/// Writes "+3.2 %".
std::string signed_share_text(double share);

}  // namespace mlsim::reports
