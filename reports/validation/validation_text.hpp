// A validation as a page for a terminal.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

/// At most 100 columns: a row per case under its group, refused cases with the reason, then a row per group with the
/// linear baseline beside it and what it misses.
std::string validation_text(const ValidationReport& report);

}  // namespace mlsim::reports
