// These are pipelined in-order binary trees (Sanders, Speck & Traeff 2009): odd positions are leaves, position 0 is the
// root.
//
// A second tree over positions shifted or mirrored so that odd and even change places makes it the double binary tree;
// tree_lanes() and hierarchical_tree_lanes() do that with two lanes.
#include <bit>

#include "sim/collectives/pattern.hpp"

namespace mlsim::sim {

int tree_height(int positions) { return static_cast<int>(std::bit_width(static_cast<unsigned>(positions - 1))); }

namespace {

// A position stands as high as its lowest set bit; where its parent would lie beyond the end it hangs one step lower.
int parent(int p, int n) {
  const int bit = p & -p, upper = (p ^ bit) | (bit << 1);
  return upper < n ? upper : p ^ bit;
}

int depth(int p, int n) {
  int steps = 0;
  for (; p != 0; p = parent(p, n)) ++steps;
  return steps;
}

void add_children(int p, int n, std::vector<int>& out) {
  if (p == 0) {
    out.push_back(1 << (tree_height(n) - 1));
    return;
  }
  const int bit = p & -p;
  if (bit > 1) out.push_back(p - bit / 2);
  for (int step = bit / 2; step > 0; step /= 2) {
    if (p + step < n) {
      out.push_back(p + step);
      return;
    }
  }
}

Segment chunk(const PatternShape& s, int i) { return pieces(s.data, i, i + 1, s.chunks); }
bool in_range(const PatternShape& s, int i) { return i >= 0 && i < s.chunks; }

// Chunk c leaves depth d upwards in round c + height - d and downwards in round c + height + d.
int all_reduce_rounds(const PatternShape& s) { return s.chunks + 2 * tree_height(s.positions) - 1; }
int broadcast_rounds(const PatternShape& s) { return s.chunks + tree_height(s.positions) - 1; }

void down_sends(const PatternShape& s, int p, int c, std::vector<Send>& out) {
  if (!in_range(s, c)) return;
  std::vector<int> children;
  add_children(p, s.positions, children);
  for (const int child : children) add_send(out, p, child, chunk(s, c), false);
}

void tree_all_reduce_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const int height = tree_height(s.positions), d = depth(p, s.positions);
  const int up = round - height + d;
  if (p != 0 && in_range(s, up)) add_send(out, p, parent(p, s.positions), chunk(s, up), true);
  down_sends(s, p, round - height - d, out);
}

void broadcast_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  down_sends(s, p, round - depth(p, s.positions), out);
}

void tree_sources(const PatternShape& s, int p, int, std::vector<int>& out) {
  if (p != 0) out.push_back(parent(p, s.positions));
  add_children(p, s.positions, out);
}

void tree_add_flows(const PatternShape& s, int rounds, bool up, std::vector<NeighbourFlow>& out) {
  const double elements = static_cast<double>(s.data.size()) * rounds / s.chunks;
  for (int p = 1; p < s.positions; ++p) {
    if (up) out.push_back({p, parent(p, s.positions), elements, rounds});
    out.push_back({parent(p, s.positions), p, elements, rounds});
  }
}

void all_reduce_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  tree_add_flows(s, all_reduce_rounds(s), true, out);
}
void broadcast_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  tree_add_flows(s, broadcast_rounds(s), false, out);
}

}  // namespace

PatternRules tree_rules(Pattern pattern) {
  if (pattern == Pattern::tree_broadcast)
    return {broadcast_rounds, broadcast_sends, tree_sources, single_stage, broadcast_flows};
  return {all_reduce_rounds, tree_all_reduce_sends, tree_sources, single_stage, all_reduce_flows};
}

}  // namespace mlsim::sim
