// A CollectiveCurve is the time of one collective on a measured system for any payload and, by a fit, any ranks.
#pragma once

#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/profile/collective.hpp"
#include "core/profile/kernel_law.hpp"
#include "core/profile/measurement.hpp"
#include "core/profile/provenance.hpp"
#include "core/units.hpp"

namespace mlsim {

/// A point is one measured payload. Several launches of the program are the unit of replication: the time is the median
/// of their medians.
struct CollectivePoint {
  Bytes payload;
  SampleStatistics time;
  std::vector<Seconds> launches;  // median of each
  bool operator==(const CollectivePoint&) const = default;
};

/// A segment says that time = alpha + beta * payload from `from` on to the next segment.
struct AlphaBetaSegment {
  Bytes from;
  Seconds alpha;
  double beta = 0;  // s / byte
  bool operator==(const AlphaBetaSegment&) const = default;
};

/// A knot lies on log(time) over log(payload), a monotone cubic through `payload` with this slope there.
struct CurveKnot {
  Bytes payload;
  Seconds time;
  double slope = 0;  // d log(time) / d log(payload), not negative
  bool operator==(const CurveKnot&) const = default;
};

struct CollectiveCurve {
  CollectiveKind kind = CollectiveKind::all_reduce;  // send_receive: point to point, one way
  std::string communicator;                          // "mpi", "gloo", "nccl", "rccl"
  std::string device = "cpu";                        // or "cuda": where the buffers are
  Precision precision = Precision::fp32;
  std::string machine;  // catalogue or own name; empty: the profile's
  int nodes = 1, ranks_per_node = 1;
  std::vector<CollectivePoint> points;     // ascending
  std::vector<CurveKnot> knots;            // ascending; time and payload rise
  double tail = 0;                         // s / byte beyond the last knot
  std::vector<AlphaBetaSegment> segments;  // the compact form
  FitError residual;                       // errors of the segments
  FitError held_back;                      // errors at the largest payloads, by knots and tail made without them
  std::vector<std::vector<AlphaBetaSegment>> replicas;
  Source source;
  int ranks() const { return nodes * ranks_per_node; }
  bool operator==(const CollectiveCurve&) const = default;
};

/// A fitted curve has the course of other systems, brought to this one by what is known of its hardware: only its
/// points, if it has any, were measured.
inline bool is_fitted(const CollectiveCurve& curve) { return curve.source.provenance == Provenance::fitted; }

/// Smaller messages that are timed by a rate, many of them at once, say nothing of one by itself.
inline constexpr Bytes kLeastOfRate{1 << 20};

/// Says whether it was measured at messages so small that its begin is a latency.
inline bool tells_latency(const CollectiveCurve& curve) {
  return curve.points.empty() || curve.points.front().payload < kLeastOfRate;
}

}  // namespace mlsim
