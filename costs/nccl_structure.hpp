// What a variant of NCCL's all-reduce takes: NCCL's structure with constants fitted to published nccl-tests sweeps.
//
// Kept apart from what NCCL believes (sim/collectives/nccl/choice.hpp): it chooses by its own constants and then takes
// what it takes.
#pragma once

#include <optional>

#include "core/units.hpp"
#include "costs/nccl_constants.hpp"
#include "costs/nccl_protocol.hpp"
#include "costs/nccl_system.hpp"

namespace mlsim::costs {

/// Whether the system can run a variant of the all-reduce.
bool runs(const NcclSystem& system, const NcclVariant& variant);

/// Time of one all-reduce of `bytes` by one variant:
///   T = L + S / R + c sqrt(L min(S, fill_bytes) / R)
/// with latency L and rate R of the variant's structure and pipeline fill c (of the network for Simple and NVLS,
/// short_fill for LL and LL128). 0 on one rank. Grows with S. With the prior constants, on ten clean published sweeps
/// of 1 and 2 nodes, all sizes: median error 7 %, P90 25 % (5 % and 11 % from 64 MiB); that more nodes take 2 log2(n)
/// crossings more is NCCL's structure and unverified. Throws Infeasible where the system cannot run the variant.
Seconds nccl_time(const NcclSystem& system, const NcclVariant& variant, Bytes bytes,
                  const NcclConstants& constants = prior_nccl_constants());

/// The quickest variant by nccl_time that the filter lets through, the first of equals; empty on one rank.
std::optional<NcclEstimate> nccl_quickest(const NcclSystem& system, Bytes bytes, const NcclFilter& filter = {},
                                          const NcclConstants& constants = prior_nccl_constants());

}  // namespace mlsim::costs
