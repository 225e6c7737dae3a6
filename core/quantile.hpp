// quantile() takes a quantile of a list of figures.
#pragma once

#include <vector>

namespace mlsim {

/// Returns the quantile of at least one value in ascending order, linear between the two nearest (type 7 of Hyndman &
/// Fan 1996).
double quantile(const std::vector<double>& sorted, double share);

/// kNormal95 is the 95th percentile of the standard normal, within which 90 % of its absolute values lie.
inline constexpr double kNormal95 = 1.645;

}  // namespace mlsim
