// nccl_time() costs a variant of NCCL's sums and gathers: NCCL's structure with constants fitted to published sweeps of
// its all-reduce.
//
// NCCL's own belief is kept apart (sim/collectives/nccl/choice.hpp): NCCL chooses by its own constants and then takes
// what it takes.
#pragma once

#include <optional>

#include "core/profile/collective.hpp"
#include "core/units.hpp"
#include "costs/nccl_constants.hpp"
#include "costs/nccl_protocol.hpp"
#include "costs/nccl_system.hpp"

namespace mlsim::costs {

/// Says whether the constants describe this kind: all-reduce, and reduce-scatter and all-gather, which are one pass of
/// its ring of two.
bool has_structure(CollectiveKind kind);

/// Says whether the system runs a variant for a kind that has a structure. Only the rings of reduce-scatters and
/// all-gathers are described; NVLS moves as much over a GPU's links as they do.
bool runs(const NcclSystem& system, CollectiveKind kind, const NcclVariant& variant);

/// The time of one collective of `bytes`, the payload as nccl-tests counts it, by one variant is
///  T = L + S / R + c sqrt(L min(S, fill_bytes) / R)
/// with latency L and rate R of the variant's structure and pipeline fill c (of the network for Simple and NVLS,
/// short_fill for LL and LL128). It is 0 on one rank and grows with S. With the prior constants, on ten clean published
/// sweeps of 1 and 2 nodes, all sizes: median error 7 %, P90 25 % (5 % and 11 % from 64 MiB); that more nodes take 2
/// log2(n) crossings more is NCCL's structure and unverified. Nothing of a reduce-scatter or all-gather is in the fit.
/// Throws Infeasible where the system cannot run the variant.
Seconds nccl_time(const NcclSystem& system, CollectiveKind kind, const NcclVariant& variant, Bytes bytes,
                  const NcclConstants& constants = prior_nccl_constants());

/// Returns the quickest variant by nccl_time that the filter lets through, the first of equals; nothing on one rank and
/// for kinds without a structure.
std::optional<NcclEstimate> nccl_quickest(const NcclSystem& system, CollectiveKind kind, Bytes bytes,
                                          const NcclFilter& filter = {},
                                          const NcclConstants& constants = prior_nccl_constants());

}  // namespace mlsim::costs
