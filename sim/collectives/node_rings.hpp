// `NodeRings` are the NVLink rings of parts of nodes, found once for parts that are alike.
#pragma once

#include <map>
#include <vector>

#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

class NodeRings {
 public:
  /// The cluster must outlive the object.
  explicit NodeRings(const Cluster& cluster);

  /// Gives nvlink_cycles of some ranks of one node, as places in `part`; empty where accelerators have no NVLinks
  /// between them.
  const std::vector<std::vector<int>>& of(const std::vector<int>& part);

 private:
  const Cluster& cluster_;
  std::vector<int> place_;  // of each rank in its node
  std::map<std::vector<int>, std::vector<std::vector<int>>> found_;
  std::vector<std::vector<int>> none_;
};

}  // namespace mlsim::sim
