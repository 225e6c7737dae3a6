// A validation as the pages of docs/accuracy.md.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

/// How to read it, the groups, every case.
std::string validation_markdown(const ValidationReport& report);

}  // namespace mlsim::reports
