// A validation as the last pages of docs/accuracy.md.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

/// How to read it, the groups, the words of trust; board_csv() has every case.
std::string validation_markdown(const ValidationReport& report);

}  // namespace mlsim::reports
