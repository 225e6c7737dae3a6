// Nodes and servers that are alike, each class by its first.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/namespace.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "topologies/cluster.hpp"

namespace mlsim::sim {

/// Numbers of nodes, and of the servers: those of the nodes' hosts have the numbers of their nodes.
struct NodesAndServers {
  std::vector<std::size_t> nodes, servers;
};

/// All there are.
NodesAndServers all_of(const Cluster& cluster, const ServerPlan& plan);

/// The first of each class: nodes alike in the rates of their links and in the share of the variables on their hosts,
/// servers that stand apart alike in their share.
NodesAndServers first_of_classes(const Cluster& cluster, const ServerPlan& plan);

}  // namespace mlsim::sim
