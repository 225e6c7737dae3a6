// nvlink_cycles() finds rings over the direct NVLinks of one node, no two of them on the same link.
#pragma once

#include <vector>

#include "sim/namespace.hpp"
#include "topologies/cluster.hpp"

namespace mlsim::sim {

/// The largest set found of directed rings through all `ranks` (of one node) in which every hop has an NVLink of its
/// own; a double link counts as two. Three or more ranks: Hamiltonian cycles, each in both directions; a DGX-1 has
/// 2 x 2 with P100 and 3 x 2 with V100. Two ranks: one ring for each link. Empty where there is none.
/// Exhaustive for up to 8 ranks.
std::vector<std::vector<int>> nvlink_cycles(const Cluster& cluster, const std::vector<int>& ranks);

}  // namespace mlsim::sim
