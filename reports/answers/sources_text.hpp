// This section of a terminal's page says what an answer rests on.
#pragma once

#include <cstddef>
#include <string>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

/// Writes an empty line, a heading and an item for each figure, in lines of at most `width` columns; nothing where
/// nothing is said.
std::string sources_text(const Prediction& prediction, std::size_t width);

}  // namespace mlsim::reports
