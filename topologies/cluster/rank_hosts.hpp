// rank_hosts() says which host each rank belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "topologies/cluster/cluster.hpp"

namespace mlsim::topologies {

/// Maps rank to host, 0 to hosts-1: the node in a cluster of nodes; on a grid consecutive ranks share one, as many as
/// it has chips, and all do where nothing is known of it.
std::vector<std::int32_t> rank_hosts(const Cluster& cluster);

}  // namespace mlsim::topologies
