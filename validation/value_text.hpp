// Published and predicted values as a reader wants them.
#pragma once

#include <string>

#include "validation/metric.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// At most ten characters, with the unit where there is one: "243260/s", "7.9 min", "50.56 USD", "0.622".
std::string value_text(Metric metric, double value);

/// "3.2 %", or with its sign "+3.2 %".
std::string percent_text(double share, bool with_sign);

}  // namespace mlsim::validation
