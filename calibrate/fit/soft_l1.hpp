// The robust fits' loss is quadratic in small errors, linear in large ones, so that outliers pull but do not rule.
#pragma once

#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

inline constexpr double kLossScale = 0.1;  // errors of the log of time beyond 10 % count by their size, not its square

/// Returns 2 (sqrt(1 + (error / kLossScale)^2) - 1), as SciPy's least_squares defines it.
double soft_l1(double error);

}  // namespace mlsim::calibrate
