// `HostLinks` are the routes between a host and its accelerators, and between hosts, over the links of a cluster.
#pragma once

#include <cstddef>
#include <vector>

#include "core/units.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

struct HostLinks {
  using RouteLinks = std::vector<LinkIndex>;
  struct Node {
    std::vector<int> ranks;
    std::vector<RouteLinks> to_host, from_host;  // of each of `ranks`
    RouteLinks out, in;                          // to and from its leaf switch, by its first NIC; empty on one node
    int leaf = 0;                                // in `leaves`
  };
  struct Leaf {
    RouteLinks up, down;  // to and from the switch above; empty where there is one switch
  };
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;
};

/// Throws Infeasible where the cluster shows no hosts (grids), or where a failed link leaves no route. O(links).
HostLinks host_links(const Cluster& cluster);

/// Runs every route backwards: a pull takes the routes of a push from their ends.
HostLinks turned_round(HostLinks links);

/// A `RouteCost` says what messages find on the routes of a cluster.
class RouteCost {
 public:
  /// The arguments must outlive the RouteCost.
  RouteCost(const Cluster& cluster, const LinkEfficiency& efficiency) : cluster_(cluster), efficiency_(efficiency) {}

  /// Returns what software reaches of the link.
  BytesPerSecond rate(LinkIndex link) const {
    return efficiency_[cluster_.link(link).kind].share * cluster_.link(link).bandwidth;
  }
  /// Returns the least rate of the route's links, at most `most`.
  BytesPerSecond rate(const HostLinks::RouteLinks& route, BytesPerSecond most) const;
  /// Adds the latencies of all links one after another, and that of the slowest link's software.
  Seconds latency(const HostLinks::RouteLinks& route) const;

 private:
  const Cluster& cluster_;
  const LinkEfficiency& efficiency_;
};

/// The route joins two accelerators of a node, by place in it. CUDA copies straight only where peers can access each
/// other, so in a mesh without an NVLink between the two the copy is staged in the host's memory (CUDA C Programming
/// Guide, "Peer-to-Peer Memory Copy"); collectives of NCCL relay over a third accelerator instead (route()).
HostLinks::RouteLinks peer_route(const Cluster& cluster, const HostLinks::Node& node, std::size_t from, std::size_t to);

}  // namespace mlsim::sim
