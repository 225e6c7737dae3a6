// The algorithms by name: on which clusters they run, and their schedules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/collectives/schedule.hpp"
#include "topologies/cluster.hpp"

namespace mlsim {

/// What a builder needs to know.
struct ScheduleRequest {
  const Cluster& cluster;
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::uint64_t elements = 0;
  int chunks = 1;  // of pipelined trees and chains
};

/// The schedule of a named algorithm; InputError for an unknown name, Infeasible where it cannot run.
Schedule build_schedule(const std::string& algorithm, const ScheduleRequest& request);

/// Whether an algorithm can run `kind` on the cluster. False for unknown names.
bool can_run(const std::string& algorithm, const Cluster& cluster, CollectiveKind kind);

// Lanes by family; flat_algorithms.cpp, torus_algorithms.cpp, node_algorithms.cpp.
std::vector<Lane> ring_lanes(const ScheduleRequest& request);
std::vector<Lane> bidirectional_ring_lanes(const ScheduleRequest& request);
std::vector<Lane> line_lanes(const ScheduleRequest& request);
std::vector<Lane> tree_lanes(const ScheduleRequest& request);
std::vector<Lane> halving_lanes(const ScheduleRequest& request);
std::vector<Lane> chain_lanes(const ScheduleRequest& request);
std::vector<Lane> pairwise_lanes(const ScheduleRequest& request);
std::vector<Lane> neighbour_lanes(const ScheduleRequest& request);
std::vector<Lane> message_lanes(const ScheduleRequest& request);

std::vector<Lane> torus_lanes(const ScheduleRequest& request);
std::vector<Lane> torus_both_lanes(const ScheduleRequest& request);
std::vector<Lane> torus_one_way_lanes(const ScheduleRequest& request);

std::vector<Lane> nvlink_ring_lanes(const ScheduleRequest& request);
std::vector<Lane> hierarchical_lanes(const ScheduleRequest& request);
std::vector<Lane> hierarchical_tree_lanes(const ScheduleRequest& request);

/// The ranks of each node, in the order of the nodes.
std::vector<std::vector<int>> ranks_by_node(const Cluster& cluster);
/// The ranks in an order in which neighbours are near: a closed walk on a grid, NVLink by NVLink in a mesh, node by
/// node.
std::vector<int> ring_order(const Cluster& cluster);

}  // namespace mlsim
