// The time of a collective by a measured curve, by segments, or by a law of its ranks.
#pragma once

#include <vector>

#include "core/profile/collective_curve.hpp"
#include "core/profile/rank_scaling.hpp"

namespace mlsim::costs {

/// Between knots the cubic; below the first its time; beyond the last `tail` a byte more. 0 on one rank. The curve has
/// at least one knot.
Seconds collective_time(const CollectiveCurve& curve, Bytes payload);
/// By segments, the first where the payload lies below it.
Seconds segment_time(const std::vector<AlphaBetaSegment>& segments, Bytes payload);

/// The segments with a level piece wherever time would fall at a break: at the geometric mean of the times on its
/// sides, from where the one before reaches it to where the next one does. The last segment ends at `last`.
std::vector<AlphaBetaSegment> monotone(const std::vector<AlphaBetaSegment>& segments, Bytes last);

/// l(N): 2 (N-1) or log2 N, of N >= 1 ranks.
double latency_steps(RankScaling::Latency latency, int ranks);

/// 0 on one rank; the first segment's where the payload lies below it; nowhere below what an earlier segment takes at
/// its end. The law has at least one segment.
Seconds scaled_time(const RankScaling& scaling, int ranks, Bytes payload);

}  // namespace mlsim::costs
