// The text of a prediction is a page for a terminal, the answer first.
#pragma once

#include <cstddef>
#include <string>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

/// At most `width` columns, no trailing spaces, ends with a newline; `color` adds ANSI colours, which take no columns.
std::string prediction_text(const Prediction& prediction, std::size_t width, bool color);

}  // namespace mlsim::reports
