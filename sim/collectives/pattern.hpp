// `PatternRules` are the rules of one pattern: what each position sends in each round. Each value of Pattern has one
// entry in the table.
#pragma once

#include <vector>

#include "sim/collectives/schedule.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A group without its ranks is all that the rules of a pattern look at.
struct PatternShape {
  int positions = 1;
  Segment data;
  int chunks = 1;
};

PatternShape shape_of(const PhaseGroup& group);

/// Rounds and positions count from 0; positions >= 2. All functions are O(log positions) except `flows` and an
/// all-to-all's.
struct PatternRules {
  int (*rounds)(const PatternShape& shape);
  /// Appends the sends of one position; empty segments are left out (add_send).
  void (*sends)(const PatternShape& shape, int position, int round, std::vector<Send>& out);
  /// Appends the positions that may send to `position` in this round, each once.
  void (*sources)(const PatternShape& shape, int position, int round, std::vector<int>& out);
  int (*stages)(const PatternShape& shape);
  void (*flows)(const PatternShape& shape, int stage, std::vector<NeighbourFlow>& out);
};

PatternRules ring_rules(Pattern pattern);
PatternRules line_rules(Pattern pattern);
PatternRules halving_rules(Pattern pattern);
PatternRules tree_rules(Pattern pattern);
/// These are chain_broadcast, pairwise_all_to_all, neighbour_exchange and point_to_point.
PatternRules direct_rules(Pattern pattern);

PatternRules pattern_rules(Pattern pattern);

/// Appends a send unless it is empty.
void add_send(std::vector<Send>& out, int from, int to, Segment data, bool reduce);

/// Joins pieces first .. last-1 of n of a range to one segment.
Segment pieces(Segment range, int first, int last, int n);

/// These count the rounds of a reduce-scatter or all-gather that goes from neighbour to neighbour, and of both in a
/// row.
inline int passing_rounds(const PatternShape& shape) { return shape.positions - 1; }
inline int both_passing_rounds(const PatternShape& shape) { return 2 * (shape.positions - 1); }

/// An all-reduce is the one and then the other.
template <auto reduce_scatter, auto all_gather>
void joined_sends(const PatternShape& shape, int position, int round, std::vector<Send>& out) {
  const int half = passing_rounds(shape);
  round < half ? reduce_scatter(shape, position, round, out) : all_gather(shape, position, round - half, out);
}

inline int single_stage(const PatternShape&) { return 1; }

/// Counts rounds from the root of the pipelined trees to their deepest leaf: ceil(log2 positions).
int tree_height(int positions);

}  // namespace mlsim::sim
