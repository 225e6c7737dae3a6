// alpha_beta_segments() cuts a measured sweep into few straight pieces, alpha + beta payload, by a criterion.
#pragma once

#include <vector>

#include "calibrate/fit/payload_time.hpp"
#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"

namespace mlsim::calibrate {

/// Segments have at least four points each (one segment where there are fewer than eight) and least squares of relative
/// errors with alpha, beta >= 0. Break points come by dynamic programming and their number K by
///   BIC = n ln(SSE / n) + (3 K - 1) ln n        SSE at least n 0.003^2: below 0.3 % there is nothing to explain
/// Breaks lie at the geometric mean of the payloads on both sides, the first segment begins at the first payload. Where
/// time would fall at a break, it stays level from before to after it. With one point all of its time is beta. `points`
/// ascend and are positive; at least one. O(n^2 K).
std::vector<AlphaBetaSegment> alpha_beta_segments(const std::vector<PayloadTime>& points);

}  // namespace mlsim::calibrate
