// A `DeviceMesh` lays the axes of a parallelism on the dimensions of a machine: which rank has which coordinates, and
// who its peers are.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "sim/collectives/rank_layout.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/lowering/parallelism.hpp"

namespace mlsim::sim {

/// A physical dimension has the axes that lie on it, innermost (nearest neighbours) first; their sizes multiply to
/// `size`.
struct MeshDimension {
  std::string name;  // "X", "Y", "node" (accelerators of a node), "network" (nodes); "ranks" where nodes are unequal
  int size = 1;
  std::vector<std::pair<Axis, int>> axes;
};

/// Every rank has one coordinate on each axis. An axis may lie on several dimensions; its coordinate counts through
/// them in their order.
class DeviceMesh {
 public:
  /// `dimensions` must multiply to the cluster's ranks and hold every axis in full; throws std::logic_error.
  DeviceMesh(const Cluster& cluster, Parallelism parallelism, std::vector<MeshDimension> dimensions);

  const Parallelism& parallelism() const { return parallelism_; }
  const std::vector<MeshDimension>& dimensions() const { return dimensions_; }
  int ranks() const { return parallelism_.ranks(); }
  int coordinate(int rank, Axis axis) const;
  /// Gives the pipeline stage of each rank; empty where there is one stage.
  std::vector<int> roles() const;

  /// A group is the ranks that differ in these coordinates only, in the order of their coordinates, neighbours on inner
  /// axes next to each other. With `role` 0 or above only groups of that pipeline stage count. Groups stand in the
  /// order of their first rank.
  std::vector<std::vector<int>> groups(AxisSet axes, int role = -1) const;
  /// Gives groups(axes, role) with their dimensions. Along a dimension of a grid that wraps they lie in a ring where
  /// the outermost axis on it is of the set, so that the last rank's next one round the dimension is the first.
  RankLayout layout(const Cluster& cluster, AxisSet axes, int role = -1) const;

  /// Writes "spatial 4 and data 32 on X, data 32 on Y".
  std::string text() const;
  /// Writes the steps that lead from a rank to the others of its group, "4x32 8x4": equal where groups lie alike.
  std::string footprint(AxisSet axes) const;

 private:
  // A `Slot` is one axis on one dimension: ranks `stride` places apart.
  struct Slot {
    Axis axis = Axis::data;
    int size = 1, stride = 1;
    std::size_t dimension = 0;
  };
  int digit(int place, const Slot& slot) const { return place / slot.stride % slot.size; }
  int size_along(std::size_t dimension, AxisSet axes) const;
  bool closes(const Cluster& cluster, std::size_t dimension, AxisSet axes) const;
  std::vector<std::vector<int>> grouped(const std::vector<bool>& together, int role) const;

  Parallelism parallelism_;
  std::vector<MeshDimension> dimensions_;
  std::vector<Slot> slots_;    // from the inside out
  std::vector<int> rank_at_;   // by place, where the first dimension counts fastest
  std::vector<int> place_of_;  // by rank
};

}  // namespace mlsim::sim
