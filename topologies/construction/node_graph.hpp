// node_graph() builds the graphs of machines: nodes of accelerators with NVLink, PCIe and NICs, and the network
// between them.
#pragma once

#include <vector>

#include "topologies/cluster/cluster.hpp"
#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Builds the graph of `nodes` equal nodes, each with its accelerators at `places` (numbers inside the node, ascending)
/// in use. Rank = node * places.size() + position in `places`. NICs and network are there only with more than one node.
ClusterGraph node_graph(const NodeSpec& node, const std::vector<int>& places, int nodes);

/// Picks the `count` accelerators of a node that hang together best: for direct NVLinks, greedily the ones with most
/// direct neighbours and then most links to those chosen; else the first.
std::vector<int> best_places(const NodeSpec& node, int count);

}  // namespace mlsim::topologies
