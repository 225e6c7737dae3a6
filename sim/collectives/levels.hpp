// Collectives go level by level: reduce-scatter along one partition of the ranks after the other, and all-gather back.
//
// Rings of a torus axis, of a node, or across nodes are levels; a lane runs its payload through all of them, and each
// level carries only the piece that the level before left (Ying et al. 2018; Kumar et al. 2019).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/collectives/schedule.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

enum class Family { ring, line, halving, tree };

/// A level has disjoint groups of equal size that together hold every rank.
struct Level {
  std::string name;  // "along Y"
  Family family = Family::ring;
  std::vector<std::vector<int>> groups;
  int chunks = 1;  // of a tree
};

/// Takes an all-reduce, reduce-scatter or all-gather of `data` through the levels, in their order on the way in. A tree
/// can only be the last level of an all-reduce.
Lane level_lane(CollectiveKind kind, Segment data, int ranks, std::span<const Level> levels);

/// Gives the same ranks in opposite order in every group: the other direction of all rings.
Level reversed(const Level& level);
/// Gives the order of positions for the second of two trees: leaves and inner positions change places.
Level shifted_tree(const Level& level);

}  // namespace mlsim::sim
