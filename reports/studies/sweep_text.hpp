// What came of a sweep, in a few lines.
#pragma once

#include <string>

#include "reports/namespace.hpp"

namespace mlsim::reports {

/// How many points were answered and why others were not, the quickest and the cheapest, and those that no other point
/// beats in both time to target and cost.
std::string sweep_text(const std::string& store);

}  // namespace mlsim::reports
