// The algorithms are known by name: on which clusters they run, and their schedules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/collectives/rank_layout.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// A builder needs to know this.
struct ScheduleRequest {
  const Cluster& cluster;
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::uint64_t elements = 0;          // of the payload per rank as nccl-tests counts it; one is one byte
  int chunks = 1;                      // of pipelined trees and chains
  const RankLayout* layout = nullptr;  // the groups that run it; nullptr: one of all ranks
  int copies = 1;                      // all-to-all: ranks that each element goes to, any as likely
};

/// Builds the schedule of a named algorithm; throws InputError for an unknown name, Infeasible where it cannot run.
Schedule build_schedule(const std::string& algorithm, const ScheduleRequest& request);

/// Lists the names of the algorithms: "torus-2d" (columns, then rows), "torus-2d-both" (both axes at once, half the
/// payload each), "torus-2d-one-way" (one direction of each ring, only when forced), "torus-3d" (three orders of the
/// dimensions at once, a third of the payload each), "torus-3d-in-turn" (one order), "nvlink-rings", "hierarchical"
/// (rings in nodes and between them), "hierarchical-tree" (double binary tree between nodes), "ring",
/// "ring-bidirectional", "line", "tree" (double binary), "halving-doubling", "chain", "pairwise", "by-node" (one copy to
/// each node that has a receiver, and on over its own links), "neighbour", "point-to-point".
std::vector<std::string> algorithm_names();

/// Lists all algorithms that `kind` can run in groups that lie so, or on a cluster with all of its ranks; those that make
/// copies only where each element goes to several ranks.
std::vector<std::string> possible_algorithms(const RankLayout& layout, CollectiveKind kind, int copies = 1);
std::vector<std::string> possible_algorithms(const Cluster& cluster, CollectiveKind kind);
/// Says whether an algorithm is one of them. Throws InputError for an unknown name.
bool is_possible(const std::string& algorithm, const RankLayout& layout, CollectiveKind kind, int copies);

/// A search for the quickest algorithm knows this of one before it costs it, in groups that lie so.
struct AlgorithmTraits {
  bool structured = false;                                       // it follows the structure of the system
  bool makes_copies = false;                                     // it is for elements that go to several ranks
  bool (*worth_costing)(const RankLayout& layout) = nullptr;     // nullptr: everywhere
  bool (*is_second_choice)(const RankLayout& layout) = nullptr;  // nullptr: nowhere
};
/// Throws InputError for an unknown name.
const AlgorithmTraits& traits_of(const std::string& algorithm);

/// Expects so many of `nodes` to hold one of the `copies` receivers of an element, any as likely.
double nodes_reached(int nodes, int copies);

/// Counts the most NVLink rings that every group has; 0 where a group is spread over nodes or has none.
std::size_t nvlink_rings(const RankLayout& layout);

// These lanes stand by family, of requests with a layout, in flat_algorithms.cpp, torus_algorithms.cpp and
// node_algorithms.cpp.
std::vector<Lane> ring_lanes(const ScheduleRequest& request);
std::vector<Lane> bidirectional_ring_lanes(const ScheduleRequest& request);
std::vector<Lane> line_lanes(const ScheduleRequest& request);
std::vector<Lane> tree_lanes(const ScheduleRequest& request);
std::vector<Lane> halving_lanes(const ScheduleRequest& request);
std::vector<Lane> chain_lanes(const ScheduleRequest& request);
std::vector<Lane> by_node_lanes(const ScheduleRequest& request);
std::vector<Lane> pairwise_lanes(const ScheduleRequest& request);
std::vector<Lane> neighbour_lanes(const ScheduleRequest& request);
std::vector<Lane> message_lanes(const ScheduleRequest& request);

std::vector<Lane> torus_lanes(const ScheduleRequest& request);
std::vector<Lane> torus_both_lanes(const ScheduleRequest& request);
std::vector<Lane> torus_one_way_lanes(const ScheduleRequest& request);

std::vector<Lane> nvlink_ring_lanes(const ScheduleRequest& request);
std::vector<Lane> hierarchical_lanes(const ScheduleRequest& request);
std::vector<Lane> hierarchical_tree_lanes(const ScheduleRequest& request);

}  // namespace mlsim::sim
