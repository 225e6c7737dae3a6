// rank_hosts() says which host each rank belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "topologies/cluster.hpp"

namespace mlsim::topologies {

/// Rank -> host, 0 to hosts-1: the node in a cluster of nodes; on a grid as many consecutive ranks as a host has chips,
/// all of them on one host where nothing is known of it.
std::vector<std::int32_t> rank_hosts(const Cluster& cluster);

}  // namespace mlsim::topologies
