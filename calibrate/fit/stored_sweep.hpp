// A `StoredSweep` is a monotone cubic through every measured payload, and the time of each byte beyond the last.
#pragma once

#include <vector>

#include "calibrate/fit/payload_time.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"

namespace mlsim::calibrate {

/// Returns slopes of the piecewise cubic that is monotone where the points are (Fritsch and Butland 1984, the weighted
/// harmonic mean of the neighbouring secants; ends by three points, as in PCHIP). `x` rises, as long as `y`. One point:
/// 0.
std::vector<double> monotone_slopes(const std::vector<double>& x, const std::vector<double>& y);

struct StoredSweep {
  std::vector<CurveKnot> knots;
  double tail = 0;  // s / byte
};

/// Knots are the isotonic regression of log(time); times that fall share their mean. The tail is the slope of a fit
/// alpha + beta payload, relative loss, to the last four knots (of one knot, its time over its payload: all of the time
/// may be its bytes'). `points` ascend and are positive; at least one.
StoredSweep stored_sweep(const std::vector<PayloadTime>& points);

}  // namespace mlsim::calibrate
