// These texts say what to measure next.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result/next_measurement.hpp"

namespace mlsim::reports {

/// Writes "the matrix units (38.0 % of the step): mlsim calibrate ...". A command that is the last one's again is not
/// repeated.
std::vector<std::string> measure_next_items(const std::vector<NextMeasurement>& measurements);

/// Writes an empty line, a heading and an item each, at most `width` columns; nothing where there is nothing to
/// measure.
std::string measure_next_text(const std::vector<NextMeasurement>& measurements, std::size_t width);

}  // namespace mlsim::reports
