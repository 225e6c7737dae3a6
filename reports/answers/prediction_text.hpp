// A prediction as a page of text for a terminal, the answer first.
#pragma once

#include <string>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

/// At most 100 columns, no trailing spaces, ends with a newline; `color` adds ANSI colours, which take no columns.
std::string prediction_text(const Prediction& prediction, bool color);

}  // namespace mlsim::reports
