// fit_rank_scaling() turns curves of one collective on several numbers of nodes into one law of its ranks.
#pragma once

#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/collective_curve.hpp"
#include "core/profile/rank_scaling.hpp"

namespace mlsim::calibrate {

/// Makes two entries for every (kind, library, device, precision, machine, ranks per node) that has curves of two or
/// more numbers of nodes with at least two ranks: latency as of a ring and as of a tree. The first is the one that the
/// library's algorithm has on such buffers, NCCL with trees for small payloads, or where that is not known the one that
/// fits better; beyond the measured numbers of nodes the spread of the two is what is not known (two numbers support a
/// form and prove none). Groups stand in the order of their first curve. Point to point has no ranks to scale in and is
/// left out.
///
/// Segments share their break points over all numbers of nodes: `fixed` is found by Brent's method, the rest as in
/// alpha_beta. Held-back errors are those of the most nodes' curves by a fit to the others; that fit has no `fixed` if
/// one number of nodes is left, which cannot tell it from latency.
std::vector<RankScaling> fit_rank_scaling(const std::vector<CollectiveCurve>& curves);

}  // namespace mlsim::calibrate
