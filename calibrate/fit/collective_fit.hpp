// fit_collective() makes a curve of a collective's measured times: through every payload, in few segments.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/fit_options.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"

namespace mlsim::calibrate {

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
