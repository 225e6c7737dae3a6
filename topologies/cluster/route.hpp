// A `Route` follows dimension order on grids, trees of switches in boxes, breadth-first search around what has failed.
#pragma once

#include <cstdint>
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

/// A `RouteFinder` finds the same routes between many pairs: it walks once from an accelerator to the network.
class RouteFinder {
 public:
  /// The cluster must outlive the finder.
  explicit RouteFinder(const Cluster& cluster) : cluster_(cluster) {}

  /// Finds what route() does.
  Route route(int from, int to);

 private:
  // The links of `links_` from place `first` on lead up to the switch `leaf` and then back; none where one has failed.
  struct Way {
    std::uint32_t first = 0, leaf = 0;
    std::uint16_t up = 0, down = 0;
    bool walked = false;
  };
  Way way(int rank);

  const Cluster& cluster_;
  std::vector<Way> ways_;         // by rank; none before the first is asked for
  std::vector<LinkIndex> links_;  // of all ways
};

}  // namespace mlsim::topologies
