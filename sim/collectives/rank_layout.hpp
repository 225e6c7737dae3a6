// A `RankLayout` has the groups of ranks that run one collective side by side, as the algorithms see them: on the
// dimensions of a machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// `NodeRings` are the NVLink rings of parts of nodes, found once for parts that are alike.
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

struct RankLayout {
  const Cluster* cluster = nullptr;
  std::vector<std::vector<int>> groups;  // of equal size, no rank twice; ranks may be left out
  // The shape has the ranks of each group along X, Y, ... of a grid, or in each node and over the nodes; the first
  // dimension counts fastest. A dimension wraps where they lie all round one that does. Nodes of unequal size are one
  // dimension.
  Grid shape;
  bool whole = true;  // one group of all ranks

  int group_size() const { return groups.empty() ? 1 : static_cast<int>(groups.front().size()); }
  /// Says whether more than one dimension is longer than 1.
  bool multidimensional() const;
  /// Writes "torus4x4", "torus4x4 in groups of 4".
  std::string text() const;
};

/// Says whether groups have ranks in several slices of a grid.
bool spans_slices(const RankLayout& layout);

/// Names a dimension of the ranks' shape: "X" of a grid, "slices" of those that a network joins, "node", "network".
std::string dimension_name(const Cluster& cluster, std::size_t dimension);

/// Makes one group of all ranks.
RankLayout whole_layout(const Cluster& cluster);

/// Lists the ranks of each node, in the order of the nodes.
std::vector<std::vector<int>> ranks_by_node(const Cluster& cluster);

/// Lists the members of every group along one dimension of its shape, in the order of the groups.
std::vector<std::vector<int>> parts_along(const RankLayout& layout, std::size_t dimension);

/// Lists the members of a group that follow one another in one node.
std::vector<std::vector<int>> node_parts(const Cluster& cluster, const std::vector<int>& group);

/// Gives a group's ranks of a node by its nodes; one dimension where the nodes hold unequal parts of it.
Grid shape_on_nodes(const Cluster& cluster, const std::vector<int>& group);

/// Picks those of `ranks` that stand at `places`.
std::vector<int> at_places(const std::vector<int>& ranks, const std::vector<int>& places);

/// Puts the ranks of each group in an order in which neighbours are near: a closed walk on a grid of two dimensions
/// (with more of them, all but X are walked as one, and hops between planes are longer), NVLink by NVLink in a mesh,
/// node by node.
std::vector<std::vector<int>> ring_orders(const RankLayout& layout);

}  // namespace mlsim::sim
