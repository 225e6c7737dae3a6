// An explanation as a page for a terminal.
#pragma once

#include <string>

#include "core/result/explanation.hpp"

namespace mlsim::reports {

/// The critical path, what it is made of, and what would shorten it; at most kPageWidth columns.
std::string explanation_text(const Explanation& explanation, bool color);

}  // namespace mlsim::reports
