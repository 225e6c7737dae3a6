// group_layout() says how groups of ranks that are given by number lie on a machine.
#pragma once

#include <vector>

#include "interop/namespace.hpp"
#include "sim/collectives/rank_layout.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::interop {

/// The groups have equal size, no rank twice. Their ranks are put in the order of their nodes, or of the grid; where
/// each holds as many ranks of each node (or of each row) that is the layout's inner dimension.
RankLayout group_layout(const Cluster& cluster, std::vector<std::vector<int>> groups);

}  // namespace mlsim::interop
