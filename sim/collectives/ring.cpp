// In ring patterns every position sends one piece to the next in every round (Patarasuk & Yuan 2009).
#include "sim/collectives/pattern.hpp"

namespace mlsim::sim {

namespace {

int wrapped(int i, int n) { return ((i % n) + n) % n; }

// The piece that p ends with starts at p+1 and collects one contribution a round.
void ring_reduce_scatter_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const int n = s.positions, i = wrapped(p - round - 1, n);
  add_send(out, p, (p + 1) % n, pieces(s.data, i, i + 1, n), true);
}

void ring_all_gather_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const int n = s.positions, i = wrapped(p - round, n);
  add_send(out, p, (p + 1) % n, pieces(s.data, i, i + 1, n), false);
}

void ring_sources(const PatternShape& s, int p, int, std::vector<int>& out) {
  out.push_back((p + s.positions - 1) % s.positions);
}

void ring_add_flows(const PatternShape& s, int rounds, std::vector<NeighbourFlow>& out) {
  const int n = s.positions;
  const double elements = static_cast<double>(s.data.size()) * rounds / n;
  for (int p = 0; p < n; ++p) out.push_back({p, (p + 1) % n, elements, rounds});
}

void ring_half_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  ring_add_flows(s, passing_rounds(s), out);
}
void ring_all_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  ring_add_flows(s, both_passing_rounds(s), out);
}

}  // namespace

PatternRules ring_rules(Pattern pattern) {
  if (pattern == Pattern::ring_reduce_scatter)
    return {passing_rounds, ring_reduce_scatter_sends, ring_sources, single_stage, ring_half_flows};
  if (pattern == Pattern::ring_all_gather)
    return {passing_rounds, ring_all_gather_sends, ring_sources, single_stage, ring_half_flows};
  return {both_passing_rounds, joined_sends<ring_reduce_scatter_sends, ring_all_gather_sends>, ring_sources,
          single_stage, ring_all_flows};
}

}  // namespace mlsim::sim
