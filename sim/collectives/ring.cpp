// Ring patterns: every position sends one piece to the next in every round (Patarasuk & Yuan 2009).
#include "sim/collectives/pattern.hpp"

namespace mlsim {

namespace {

int wrapped(int i, int n) { return ((i % n) + n) % n; }

// The piece that p ends with starts at p+1 and collects one contribution a round.
void reduce_scatter_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const int n = s.positions, i = wrapped(p - round - 1, n);
  add_send(out, p, (p + 1) % n, pieces(s.data, i, i + 1, n), true);
}

void all_gather_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const int n = s.positions, i = wrapped(p - round, n);
  add_send(out, p, (p + 1) % n, pieces(s.data, i, i + 1, n), false);
}

void all_reduce_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const int half = s.positions - 1;
  if (round < half)
    reduce_scatter_sends(s, p, round, out);
  else
    all_gather_sends(s, p, round - half, out);
}

void sources(const PatternShape& s, int p, int, std::vector<int>& out) {
  out.push_back((p + s.positions - 1) % s.positions);
}

int half_rounds(const PatternShape& s) { return s.positions - 1; }
int all_rounds(const PatternShape& s) { return 2 * (s.positions - 1); }

void add_flows(const PatternShape& s, int rounds, std::vector<NeighbourFlow>& out) {
  const int n = s.positions;
  const double elements = static_cast<double>(s.data.size()) * rounds / n;
  for (int p = 0; p < n; ++p) out.push_back({p, (p + 1) % n, elements, rounds});
}

void half_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) { add_flows(s, half_rounds(s), out); }
void all_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) { add_flows(s, all_rounds(s), out); }

}  // namespace

PatternRules ring_rules(Pattern pattern) {
  if (pattern == Pattern::ring_reduce_scatter)
    return {half_rounds, reduce_scatter_sends, sources, single_stage, half_flows};
  if (pattern == Pattern::ring_all_gather) return {half_rounds, all_gather_sends, sources, single_stage, half_flows};
  return {all_rounds, all_reduce_sends, sources, single_stage, all_flows};
}

}  // namespace mlsim
