// quantile() takes a quantile of a list of figures.
#pragma once

#include <vector>

namespace mlsim {

/// largest_of_normals() says how far the slowest of n ranks lies from the mean one.
/// Returns the expected largest of `count` standard normal values: 0, 0.56, 0.85, 1.03, 1.42 for 1, 2, 3, 4 and 8
/// (Harter, Expected values of normal order statistics, Biometrika 48, 1961).
double largest_of_normals(int count);

/// Returns the quantile of at least one value in ascending order, linear between the two nearest (type 7 of Hyndman &
/// Fan 1996).
double quantile(const std::vector<double>& sorted, double share);

/// kNormal95 is the 95th percentile of the standard normal, within which 90 % of its absolute values lie.
inline constexpr double kNormal95 = 1.645;

}  // namespace mlsim
