// What to measure next, as a section of a page for a terminal.
#pragma once

#include <string>
#include <vector>

#include "core/result/next_measurement.hpp"

namespace mlsim::reports {

/// After an empty line a heading and an item each with its command, at most kPageWidth columns; nothing where there is
/// nothing to measure. A command that is the last one's again is not repeated.
std::string measure_next_text(const std::vector<NextMeasurement>& measurements);

}  // namespace mlsim::reports
