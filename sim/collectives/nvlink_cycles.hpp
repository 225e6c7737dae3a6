// nvlink_cycles() finds rings over the direct NVLinks of one node, no two of them on the same link.
#pragma once

#include <vector>

#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// Gives the largest set found of directed rings through all `ranks` (of one node) in which every hop has an NVLink of
/// its own; a double link counts as two. On three or more ranks these are Hamiltonian cycles, each in both directions;
/// a DGX-1 has 2 x 2 with P100 and 3 x 2 with V100. Two ranks have one ring for each link. The set is empty where there
/// is none. The search is exhaustive for up to 8 ranks.
std::vector<std::vector<int>> nvlink_cycles(const Cluster& cluster, const std::vector<int>& ranks);

}  // namespace mlsim::sim
