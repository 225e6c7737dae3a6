// What one collective takes on a system that was measured, for any payload and, by a fit, any number of ranks.
#pragma once

#include <string>
#include <vector>

#include "core/collective.hpp"
#include "core/kernel_law.hpp"
#include "core/measurement.hpp"
#include "core/precision.hpp"
#include "core/provenance.hpp"
#include "core/units.hpp"

namespace mlsim {

/// One measured payload. Several launches of the program are the unit of replication: the time is the median of their
/// medians.
struct CollectivePoint {
  Bytes payload;
  SampleStatistics time;
  std::vector<Seconds> launches;  // median of each
  bool operator==(const CollectivePoint&) const = default;
};

/// time = alpha + beta * payload from `from` on to the next segment.
struct AlphaBetaSegment {
  Bytes from;
  Seconds alpha;
  double beta = 0;  // s / byte
  bool operator==(const AlphaBetaSegment&) const = default;
};

/// log(time) over log(payload) as a monotone cubic through `payload`, with its slope there.
struct CurveKnot {
  Bytes payload;
  Seconds time;
  double slope = 0;  // d log(time) / d log(payload), not negative
  bool operator==(const CurveKnot&) const = default;
};

struct CollectiveCurve {
  CollectiveKind kind = CollectiveKind::all_reduce;  // send_receive: point to point, one way
  std::string communicator;                          // "mpi", "gloo", "nccl"
  std::string device = "cpu";                        // or "cuda": where the buffers are
  Precision precision = Precision::fp32;
  std::string machine;  // catalogue or own name; empty: the profile's
  int nodes = 1, ranks_per_node = 1;
  std::vector<CollectivePoint> points;     // ascending
  std::vector<CurveKnot> knots;            // ascending; time and payload rise
  double tail = 0;                         // s / byte beyond the last knot
  std::vector<AlphaBetaSegment> segments;  // the compact form
  FitError residual;                       // of the segments
  FitError held_back;                      // of the largest payloads, by knots and tail made without them
  std::vector<std::vector<AlphaBetaSegment>> replicas;
  Source source;
  int ranks() const { return nodes * ranks_per_node; }
  bool operator==(const CollectiveCurve&) const = default;
};

/// Whether its course is that of other systems, brought to this one by what is known of its hardware: only its points,
/// if it has any, were measured.
inline bool is_fitted(const CollectiveCurve& curve) { return curve.source.provenance == Provenance::fitted; }

/// Between knots the cubic; below the first its time; beyond the last `tail` a byte more. 0 on one rank. The curve has
/// at least one knot.
Seconds collective_time(const CollectiveCurve& curve, Bytes payload);
/// By segments, the first where the payload lies below it.
Seconds segment_time(const std::vector<AlphaBetaSegment>& segments, Bytes payload);

/// The segments with a level piece wherever time would fall at a break: at the geometric mean of the times on its
/// sides, from where the one before reaches it to where the next one does. The last segment ends at `last`.
std::vector<AlphaBetaSegment> monotone(const std::vector<AlphaBetaSegment>& segments, Bytes last);

/// How the time of a collective grows with its ranks N: per segment
///   time = fixed + l(N) alpha + 2 (N-1)/N beta payload      (all-reduce; others: (N-1)/N, broadcast: 1)
/// with l(N) = 2 (N-1) of a ring or log2 N of a tree (halving and doubling).
struct RankScaling {
  enum class Latency { ring, log2 };
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string communicator, device = "cpu";
  Precision precision = Precision::fp32;
  std::string machine;
  int ranks_per_node = 1;
  std::vector<int> nodes;  // that it was fitted to
  Latency latency = Latency::ring;
  Seconds fixed;
  std::vector<AlphaBetaSegment> segments;
  FitError residual, held_back;  // held back: the largest number of ranks
  Source source;
  bool operator==(const RankScaling&) const = default;
};

std::string_view name(RankScaling::Latency latency);

/// l(N): 2 (N-1) or log2 N, of N >= 1 ranks.
double latency_steps(RankScaling::Latency latency, int ranks);

/// 0 on one rank; the first segment's where the payload lies below it; nowhere below what an earlier segment takes at
/// its end. The law has at least one segment.
Seconds scaled_time(const RankScaling& scaling, int ranks, Bytes payload);

}  // namespace mlsim
