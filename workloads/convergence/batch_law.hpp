// A BatchLaw is the law E = Emin (1 + (B/Bcrit)^p) of epochs against global batch; p = 1 (McCandlish et al. 2018) is
// fitted to a table's points, other powers are given.
#pragma once

#include <vector>

namespace mlsim::workloads {

/// isotonic() fits the non-decreasing curve nearest to weighted points, by pool adjacent violators.
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

struct BatchLaw {
  double lowest = 0;    // Emin, epochs
  double critical = 0;  // Bcrit, samples; infinity where epochs do not grow with the batch
  double exponent = 1;
  double operator()(double batch) const;
};

/// Returns the law of least soft-L1 misfit of the logarithms, each point once whatever its weight. Needs a point.
BatchLaw fitted_batch_law(const std::vector<WeightedPoint>& points);

}  // namespace mlsim::workloads
