// node_cluster() builds nodes of accelerators from what was selected.
#pragma once

#include "topologies/cluster/cluster.hpp"
#include "topologies/construction/selection.hpp"
#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Builds as many nodes as `accelerators` need (0 = nodes=, else one). Throws Infeasible where full nodes do not add
/// up.
Cluster node_cluster(const Selection& selection, TopologyOptions options, int accelerators);

}  // namespace mlsim::topologies
