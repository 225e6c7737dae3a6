// What a measured figure has to be.
#pragma once

#include <cmath>

#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// Finite and above zero.
inline bool is_positive(double value) { return std::isfinite(value) && value > 0; }

}  // namespace mlsim::calibrate
