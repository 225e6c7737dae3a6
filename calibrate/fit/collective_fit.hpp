// fit_collective() makes a curve of a collective's measured times: through every payload, in few segments.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/fit.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"

namespace mlsim::calibrate {

/// Returns slopes of the piecewise cubic that is monotone where the points are (Fritsch and Butland 1984, the weighted
/// harmonic mean of the neighbouring secants; ends by three points, as in PCHIP). `x` rises, as long as `y`. One point:
/// 0.
std::vector<double> monotone_slopes(const std::vector<double>& x, const std::vector<double>& y);

/// A `StoredSweep` is a monotone cubic through every measured payload, and the time of each byte beyond the last.
struct StoredSweep {
  std::vector<CurveKnot> knots;
  double tail = 0;  // s / byte
};

/// Knots are the isotonic regression of log(time); times that fall share their mean. The tail is the slope of a fit
/// alpha + beta payload, relative loss, to the last four knots (of one knot, its time over its payload: all of the time
/// may be its bytes'). `points` ascend and are positive; at least one.
StoredSweep stored_sweep(const std::vector<PayloadTime>& points);

/// A `CollectiveSweep` is one collective measured at several payloads on one system.
struct CollectiveSweep {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string communicator;
  std::string device = "cpu";
  Precision precision = Precision::fp32;
  std::string machine;  // empty: the profile's
  int nodes = 1, ranks_per_node = 1;
  std::vector<CollectivePoint> points;  // in any order
  Source source;
  std::string hardware = {};  // what the log calls the ranks' devices; may be empty
};

/// Tells whether two, sweeps or curves, are of one collective on one system.
template <class A, class B>
bool same_system(const A& a, const B& b) {
  return a.kind == b.kind && a.communicator == b.communicator && a.device == b.device && a.precision == b.precision &&
         a.machine == b.machine && a.nodes == b.nodes && a.ranks_per_node == b.ranks_per_node;
}

/// Fits knots, tail, segments, replicas and errors of a sweep. Points of equal payload become one, of their median. The
/// source becomes the sweep's own. Throws InputError where there is no point, or a payload or time is not positive and
/// finite.
CollectiveCurve fit_collective(const CollectiveSweep& sweep, const FitOptions& options = {});

}  // namespace mlsim::calibrate
