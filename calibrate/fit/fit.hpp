// All fits share these: the points and options they take, their loss, and how far they lie from their data.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/kernel_law.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// A `PayloadTime` is what a collective took at one payload, without the statistics behind it.
struct PayloadTime {
  Bytes payload;
  Seconds time;
  bool operator==(const PayloadTime&) const = default;
};

/// All fits share `FitOptions`: how they draw replicas and how much they hold back.
struct FitOptions {
  std::uint64_t seed = 1;
  int replicas = 32;        // bootstrap; 0: none
  double held_back = 0.15;  // share of the samples, the largest, that a second fit leaves out to be tested on
  bool operator==(const FitOptions&) const = default;
};

/// Returns |predicted / measured - 1|.
double relative_error(Seconds predicted, Seconds measured);

/// Returns the median and P90 of absolute relative errors in any order; all 0 of none.
FitError fit_error(std::vector<double> errors);

/// A measured figure is finite and above zero.
inline bool is_positive(double value) { return std::isfinite(value) && value > 0; }

/// The robust fits' loss is quadratic in small errors, linear in large ones, so that outliers pull but do not rule.
inline constexpr double kLossScale = 0.1;  // errors of the log of time beyond 10 % count by their size, not its square

/// Returns 2 (sqrt(1 + (error / kLossScale)^2) - 1), as SciPy's least_squares defines it.
double soft_l1(double error);

}  // namespace mlsim::calibrate
