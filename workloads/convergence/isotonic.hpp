// isotonic() fits the non-decreasing curve nearest to weighted points, by pool adjacent violators.
#pragma once

#include <vector>

namespace mlsim::workloads {

struct WeightedPoint {
  double x = 0, y = 0, weight = 1;
};

/// Merges points of equal x to their weighted mean, by x.
std::vector<WeightedPoint> merged(std::vector<WeightedPoint> points);

/// Returns the same points with y replaced by the weighted least-squares non-decreasing fit (Ayer et al. 1955).
/// `points` must be merged. O(n).
std::vector<WeightedPoint> isotonic(const std::vector<WeightedPoint>& points);

/// Interpolates linearly in x between the points of `curve`, held at its ends. `curve` must not be empty.
double interpolated(const std::vector<WeightedPoint>& curve, double x);

}  // namespace mlsim::workloads
