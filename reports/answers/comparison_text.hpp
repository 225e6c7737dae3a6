// A comparison for a terminal.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "studies/compare/comparison.hpp"

namespace mlsim::reports {

/// What differs, then the figures, a column for each answer: the best is named, the others say how many times worse
/// they are. Below, what all have in common, who was refused and why, and warnings.
std::string comparison_text(const Comparison& comparison);

}  // namespace mlsim::reports
