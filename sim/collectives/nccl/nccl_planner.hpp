// A collective is planned as NCCL would run it: its choice of algorithm and protocol, put on our schedules and links.
#pragma once

#include <optional>
#include <string>

#include "core/profile/collective.hpp"
#include "core/units.hpp"
#include "costs/nccl_protocol.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// Gives what a protocol makes of links that are given for Simple: half of the rate with LL, 0.92 of it with LL128, and
/// per message the difference of NCCL's own latencies (src/graph/tuning.cc, hwLat of the algorithm), not below 0.
LinkEfficiency protocol_links(const LinkEfficiency& simple, const NcclVariant& variant);

struct NcclRequest {
  bool as_chosen = false;                // the algorithm that NCCL's tuner takes, else the quickest
  std::optional<NcclProtocol> protocol;  // forced, as by NCCL_PROTO
  std::optional<std::string> algorithm;  // forced, one of algorithm_names()
  /// Says whether NCCL's variants matter at all.
  bool asks() const { return as_chosen || protocol.has_value(); }
};

/// Plans the schedule and the links of the variant that NCCL would choose, or of the quickest one, under what is
/// forced. Ring runs as nvlink-rings, hierarchical or ring, Tree as hierarchical-tree or tree, whichever is quickest
/// here. NVLS, whose sums the switches form, has no schedule: where NCCL would choose it, its next choice runs, and the
/// reason says what NVLS takes by nccl_time. Kinds that NCCL does not tune run as by plan_collective. Throws
/// Infeasible, with the reason, off NVIDIA's GPUs, for LL128 where NCCL does not have it, and for algorithms that NCCL
/// does not have.
PlannedCollective plan_with_nccl(const Cluster& cluster, CollectiveKind kind, Bytes bytes,
                                 const LinkEfficiency& efficiency, const NcclRequest& request);

}  // namespace mlsim::sim
