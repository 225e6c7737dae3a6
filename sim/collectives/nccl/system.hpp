// A cluster as NCCL sees it.
#pragma once

#include "core/nccl_system.hpp"
#include "topologies/cluster.hpp"

namespace mlsim {

/// Throws Infeasible, with the reason, where NCCL does not run or its tuner is not described here: TPUs, CPUs, AMD's
/// GPUs (RCCL has a tuner of its own), nodes of unequal size.
NcclSystem nccl_system(const Cluster& cluster);

}  // namespace mlsim
