// NCCL would choose the least of its own estimates, which are made of its tuner's constants and nothing measured.
//
// What the chosen variant then takes is another question (costs/nccl_structure.hpp, or a simulated schedule): NCCL
// chooses by what it believes.
#pragma once

#include <optional>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/units.hpp"
#include "costs/nccl_protocol.hpp"
#include "costs/nccl_system.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Gives what NCCL's tuner expects every variant to take that it has enabled (NVIDIA/nccl@v2.27.7-1,
/// src/graph/tuning.cc, ncclTopoTuneModel and ncclTopoGetAlgoTime): latency + bytes / bandwidth. It has estimates for
/// all-reduce, reduce-scatter and all-gather on two ranks or more, and none for other kinds, which NCCL sends as they
/// are. `bytes` is the payload as nccl-tests counts it. The graph search is replaced by its usual result: `channels` of
/// 18 to 40 GB/s inside a node, the NICs at 0.96 of line rate between them. CollNet and PAT (one GPU a node) are left
/// out.
std::vector<NcclEstimate> nccl_estimates(const NcclSystem& system, CollectiveKind kind, Bytes bytes);

/// Takes the least of the estimates that the filter lets through, the first of equals; empty where there is none.
std::optional<NcclEstimate> nccl_choice(const NcclSystem& system, CollectiveKind kind, Bytes bytes,
                                        const NcclFilter& filter = {});

}  // namespace mlsim::sim
