#include "calibrate/fit/stored_sweep.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/fit/nonnegative_line.hpp"
#include "workloads/convergence/isotonic.hpp"

namespace mlsim::calibrate {
namespace {

// Returns the slope of a parabola through three points, cut back where that would turn the curve around.
double end_slope(double near_width, double far_width, double near_secant, double far_secant) {
  const double slope =
      ((2 * near_width + far_width) * near_secant - near_width * far_secant) / (near_width + far_width);
  if (slope * near_secant <= 0) return 0;
  if (near_secant * far_secant < 0 && std::abs(slope) > 3 * std::abs(near_secant)) return 3 * near_secant;
  return slope;
}

double tail_of(const std::vector<CurveKnot>& knots) {
  constexpr std::size_t kLast = 4;
  if (knots.size() == 1) return knots[0].time.value / knots[0].payload.value;
  LineSums sums;
  for (std::size_t i = knots.size() - std::min(kLast, knots.size()); i < knots.size(); ++i)
    sums.add(1 / knots[i].time.value, knots[i].payload.value / knots[i].time.value, 1);
  return sums.line().v;
}

}  // namespace

std::vector<double> monotone_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t n = x.size();
  if (n < 2) return std::vector<double>(n, 0.0);
  std::vector<double> width(n - 1), secant(n - 1), slope(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    width[i] = x[i + 1] - x[i];
    secant[i] = (y[i + 1] - y[i]) / width[i];
  }
  if (n == 2) return {secant[0], secant[0]};
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (secant[i - 1] * secant[i] <= 0) continue;
    const double left = width[i - 1] + 2 * width[i], right = 2 * width[i - 1] + width[i];
    slope[i] = (left + right) / (left / secant[i - 1] + right / secant[i]);
  }
  slope.front() = end_slope(width[0], width[1], secant[0], secant[1]);
  slope.back() = end_slope(width[n - 2], width[n - 3], secant[n - 2], secant[n - 3]);
  return slope;
}

StoredSweep stored_sweep(const std::vector<PayloadTime>& points) {
  std::vector<WeightedPoint> logs;
  for (const PayloadTime& point : points)
    logs.push_back({std::log(point.payload.value), std::log(point.time.value), 1});
  std::vector<double> x, y;
  for (const WeightedPoint& point : isotonic(logs)) {
    x.push_back(point.x);
    y.push_back(point.y);
  }
  const std::vector<double> slopes = monotone_slopes(x, y);
  StoredSweep sweep;
  for (std::size_t i = 0; i < points.size(); ++i)
    sweep.knots.push_back({points[i].payload, Seconds(std::exp(y[i])), slopes[i]});
  sweep.tail = tail_of(sweep.knots);
  return sweep;
}

}  // namespace mlsim::calibrate
