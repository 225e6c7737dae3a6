// An `NcclSystem` is a cluster as NCCL sees it.
#pragma once

#include <optional>
#include <string>

#include "core/units.hpp"
#include "costs/nccl_system.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// Throws Infeasible, with the reason, where NCCL does not run or its tuner is not described here: TPUs, CPUs, AMD's
/// GPUs (RCCL has a tuner of its own), nodes of unequal size.
NcclSystem nccl_system(const Cluster& cluster);
/// Gives the same, empty where it throws.
std::optional<NcclSystem> described_nccl_system(const Cluster& cluster);

/// Gives the rate of an accelerator's messages to its peers over PCIe where they cross the host's memory:
/// Cluster::through_host, or its share of the way up from its PCIe switch where that is less. It is 0 where peers have
/// access.
BytesPerSecond through_host_rate(const Cluster& cluster);

/// Gives what a host takes to post one request to a NIC: 2 us on AMD's processors, 1 us on others (NCCL,
/// src/graph/tuning.cc, getNetOverhead).
Seconds network_request(const Cluster& cluster);

/// Throws InputError with the nearest name where there is no such topology, and where NCCL runs no all-reduce on it.
NcclTarget nccl_target(const std::string& topology);

}  // namespace mlsim::sim
