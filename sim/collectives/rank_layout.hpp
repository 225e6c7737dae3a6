// The groups of ranks that run one collective side by side, as the algorithms see them: two dimensions of a machine.
#pragma once

#include <string>
#include <vector>

#include "sim/namespace.hpp"
#include "topologies/cluster.hpp"

namespace mlsim::sim {

/// Each group holds `inner` x `outer` ranks: along X and Y of a grid, or in each node and over the nodes. `inner`
/// counts fastest. On nodes of unequal size outer is 1.
struct RankLayout {
  const Cluster* cluster = nullptr;
  std::vector<std::vector<int>> groups;  // of equal size, no rank twice; ranks may be left out
  int inner = 1, outer = 1;
  bool ring_inner = false,
       ring_outer = false;  // on a grid: whether the ranks along it lie all round a dimension that wraps
  bool whole = true;        // one group of all ranks

  int group_size() const { return groups.empty() ? 1 : static_cast<int>(groups.front().size()); }
  bool two_dimensional() const { return inner > 1 && outer > 1; }
  /// "torus4x4", "torus4x4 in groups of 4".
  std::string text() const;
};

/// All ranks as one group.
RankLayout whole_layout(const Cluster& cluster);

/// The ranks of each node, in the order of the nodes.
std::vector<std::vector<int>> ranks_by_node(const Cluster& cluster);

/// The members of every group along its inner and along its outer dimension, in the order of the groups.
std::vector<std::vector<int>> inner_parts(const RankLayout& layout);
std::vector<std::vector<int>> outer_parts(const RankLayout& layout);

/// The members of a group that follow one another in one node.
std::vector<std::vector<int>> node_parts(const Cluster& cluster, const std::vector<int>& group);

/// Those of `ranks` that stand at `places`.
std::vector<int> at_places(const std::vector<int>& ranks, const std::vector<int>& places);

/// The ranks of each group in an order in which neighbours are near: a closed walk on a grid, NVLink by NVLink in a
/// mesh, node by node.
std::vector<std::vector<int>> ring_orders(const RankLayout& layout);

}  // namespace mlsim::sim
