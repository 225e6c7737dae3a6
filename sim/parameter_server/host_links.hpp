// The ways between a host and its accelerators, and between hosts, over the links of a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/namespace.hpp"
#include "topologies/cluster.hpp"

namespace mlsim::sim {

struct HostLinks {
  using Way = std::vector<LinkIndex>;
  struct Node {
    std::vector<int> ranks;
    std::vector<Way> to_host, from_host;  // of each of `ranks`
    Way out, in;                          // to and from its leaf switch, by its first NIC; empty on one node
    int leaf = 0;                         // in `leaves`
  };
  struct Leaf {
    Way up, down;  // to and from the switch above; empty where there is one switch
  };
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;
};

/// Throws Infeasible where the cluster shows no hosts (grids), or where a failed link leaves no way. O(links).
HostLinks host_links(const Cluster& cluster);

/// Between two accelerators of a node, by place in it: CUDA copies straight only where peers can access each other, so
/// in a mesh without an NVLink between the two the copy is staged in the host's memory (CUDA C Programming Guide,
/// "Peer-to-Peer Memory Copy"); collectives of NCCL relay over a third accelerator instead (route()).
HostLinks::Way peer_way(const Cluster& cluster, const HostLinks::Node& node, std::size_t from, std::size_t to);

}  // namespace mlsim::sim
