// is_positive() says what a measured figure has to be.
#pragma once

#include <cmath>

#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// A measured figure is finite and above zero.
inline bool is_positive(double value) { return std::isfinite(value) && value > 0; }

}  // namespace mlsim::calibrate
