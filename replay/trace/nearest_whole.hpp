// nearest_whole() reads numbers of files as integers, whatever stands there.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace mlsim::replay {

/// Returns the value without its fraction; the type's own end where it lies beyond, 0 for what is no number.
template <class Whole>
Whole nearest_whole(double value) {
  if (std::isnan(value)) return 0;
  constexpr auto lowest = std::numeric_limits<Whole>::min(), highest = std::numeric_limits<Whole>::max();
  if (value >= static_cast<double>(highest)) return highest;
  return value <= static_cast<double>(lowest) ? lowest : static_cast<Whole>(value);
}

}  // namespace mlsim::replay
