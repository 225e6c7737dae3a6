// These functions give the time of a collective by a measured curve, by segments, or by a law of its ranks.
#pragma once

#include <vector>

#include "core/profile/collective_curve.hpp"
#include "core/profile/rank_scaling.hpp"

namespace mlsim::costs {

/// Between knots the time follows the cubic; below the first it is that knot's; each byte beyond the last takes `tail`.
/// It is 0 on one rank. The curve has at least one knot.
Seconds collective_time(const CollectiveCurve& curve, Bytes payload);
/// Returns the time by segments, by the first where the payload lies below it.
Seconds segment_time(const std::vector<AlphaBetaSegment>& segments, Bytes payload);

/// Returns the segments with a level piece wherever time would fall at a break: at the geometric mean of the times on
/// its sides, from where the one before reaches it to where the next one does. The last segment ends at `last`.
std::vector<AlphaBetaSegment> monotone(const std::vector<AlphaBetaSegment>& segments, Bytes last);

/// Returns l(N) of a payload: 2 (N-1) or log2 N, of N >= 1 ranks.
double latency_steps(const RankScaling& scaling, int ranks, Bytes payload);

/// The time is 0 on one rank; the first segment's where the payload lies below it; nowhere below what an earlier
/// segment takes at its end. The law has at least one segment.
Seconds scaled_time(const RankScaling& scaling, int ranks, Bytes payload);

}  // namespace mlsim::costs
