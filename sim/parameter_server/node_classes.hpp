// first_of_classes() finds nodes and servers that are alike, and names each class by its first.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/namespace.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// The numbers are of nodes and of servers: servers on the nodes' hosts have the numbers of their nodes.
struct NodesAndServers {
  std::vector<std::size_t> nodes, servers;
};

/// Returns all nodes and servers.
NodesAndServers all_of(const Cluster& cluster, const ServerPlan& plan);

/// Returns the first of each class: nodes are alike in the rates of their links and in the share of the variables on
/// their hosts, servers that stand apart in their share.
NodesAndServers first_of_classes(const Cluster& cluster, const ServerPlan& plan);

}  // namespace mlsim::sim
