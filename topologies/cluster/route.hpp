// A `Route` follows dimension order on grids, trees of switches in boxes, breadth-first search around what has failed.
#pragma once

#include <vector>

#include "topologies/cluster/cluster.hpp"

namespace mlsim::topologies {

/// A path of a message has its links in order, and the sum of their latencies.
struct Route {
  std::vector<LinkIndex> links;
  Seconds latency;
};

/// Finds the route from one rank to another: dimension-ordered (X, then Y, ..., the shorter way round) on a grid, by
/// the direct NVLink where there is one, else up and down the tree of switches and NICs; around failed (removed) links
/// by breadth-first search. Takes O(length) on regular systems. Throws Infeasible where no route is left.
Route route(const Cluster& cluster, int from, int to);

}  // namespace mlsim::topologies
