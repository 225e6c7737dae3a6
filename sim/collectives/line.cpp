// Line patterns do a ring's work where the ends are not joined, with partial results running both ways.
//
// In a reduce-scatter piece j is summed from both ends towards position j. The piece with the longest way starts first,
// so that each hop carries one piece a round and direction and piece j meets at j in the last of the n-1 rounds.
// All-gather is the same run backwards.
#include "sim/collectives/pattern.hpp"

namespace mlsim::sim {

namespace {

Segment one_piece(const PatternShape& s, int i) { return pieces(s.data, i, i + 1, s.positions); }

void line_reduce_scatter_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const int n = s.positions;
  const int right = n - 1 - (round - p);  // piece j leaves p rightwards in round (n-1-j) + p
  if (p + 1 < n && right > p && right <= n - 1) add_send(out, p, p + 1, one_piece(s, right), true);
  const int left = round - (n - 1 - p);  // and leftwards in round j + (n-1-p)
  if (p > 0 && left >= 0 && left < p) add_send(out, p, p - 1, one_piece(s, left), true);
}

void line_all_gather_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const int n = s.positions;
  const int right = p - round;  // piece j reaches p after p-j rounds
  if (p + 1 < n && right >= 0) add_send(out, p, p + 1, one_piece(s, right), false);
  const int left = p + round;
  if (p > 0 && left < n) add_send(out, p, p - 1, one_piece(s, left), false);
}

void line_sources(const PatternShape& s, int p, int, std::vector<int>& out) {
  if (p > 0) out.push_back(p - 1);
  if (p + 1 < s.positions) out.push_back(p + 1);
}

void line_add_flows(const PatternShape& s, int rounds, std::vector<NeighbourFlow>& out) {
  const int n = s.positions;
  const double elements = static_cast<double>(s.data.size()) * rounds / n;
  for (int p = 0; p + 1 < n; ++p) {
    out.push_back({p, p + 1, elements, rounds});
    out.push_back({p + 1, p, elements, rounds});
  }
}

void line_half_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  line_add_flows(s, passing_rounds(s), out);
}
void line_all_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  line_add_flows(s, both_passing_rounds(s), out);
}

}  // namespace

PatternRules line_rules(Pattern pattern) {
  if (pattern == Pattern::line_reduce_scatter)
    return {passing_rounds, line_reduce_scatter_sends, line_sources, single_stage, line_half_flows};
  if (pattern == Pattern::line_all_gather)
    return {passing_rounds, line_all_gather_sends, line_sources, single_stage, line_half_flows};
  return {both_passing_rounds, joined_sends<line_reduce_scatter_sends, line_all_gather_sends>, line_sources,
          single_stage, line_all_flows};
}

}  // namespace mlsim::sim
