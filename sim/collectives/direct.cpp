// These patterns have no sums: the pipelined chain, pairwise all-to-all, halo exchange and a single message.
//
// In a halo the data is what a position sends to both sides; the first half goes to the position before, the second to
// the one after. In an all-to-all piece j of the sender's data goes to position j, all at once; segments are those of
// the sender's buffer.
#include "sim/collectives/pattern.hpp"

namespace mlsim::sim {

namespace {

int chain_rounds(const PatternShape& s) { return s.chunks + s.positions - 2; }

void chain_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const int c = round - p;
  if (p + 1 < s.positions && c >= 0 && c < s.chunks) add_send(out, p, p + 1, pieces(s.data, c, c + 1, s.chunks), false);
}

void chain_sources(const PatternShape&, int p, int, std::vector<int>& out) {
  if (p > 0) out.push_back(p - 1);
}

void chain_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  const int rounds = chain_rounds(s);
  const double elements = static_cast<double>(s.data.size()) * rounds / s.chunks;
  for (int p = 0; p + 1 < s.positions; ++p) out.push_back({p, p + 1, elements, rounds});
}

int one_round(const PatternShape&) { return 1; }

void pairwise_sends(const PatternShape& s, int p, int, std::vector<Send>& out) {
  for (int k = 1; k < s.positions; ++k) {
    const int to = (p + k) % s.positions;
    add_send(out, p, to, pieces(s.data, to, to + 1, s.positions), false);
  }
}

void pairwise_sources(const PatternShape& s, int p, int, std::vector<int>& out) {
  for (int k = 1; k < s.positions; ++k) out.push_back((p + s.positions - k) % s.positions);
}

void pairwise_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  const int n = s.positions;
  const double elements = static_cast<double>(s.data.size()) / n;
  out.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(n - 1));
  for (int p = 0; p < n; ++p)
    for (int k = 1; k < n; ++k) out.push_back({p, (p + k) % n, elements, 1});
}

void neighbour_sends(const PatternShape& s, int p, int, std::vector<Send>& out) {
  if (p > 0) add_send(out, p, p - 1, pieces(s.data, 0, 1, 2), false);
  if (p + 1 < s.positions) add_send(out, p, p + 1, pieces(s.data, 1, 2, 2), false);
}

void neighbour_sources(const PatternShape& s, int p, int, std::vector<int>& out) {
  if (p > 0) out.push_back(p - 1);
  if (p + 1 < s.positions) out.push_back(p + 1);
}

void neighbour_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  const double half = static_cast<double>(s.data.size()) / 2;
  for (int p = 0; p + 1 < s.positions; ++p) {
    out.push_back({p, p + 1, half, 1});
    out.push_back({p + 1, p, half, 1});
  }
}

void message_sends(const PatternShape& s, int p, int, std::vector<Send>& out) {
  if (p == 0) add_send(out, 0, 1, s.data, false);
}

void message_sources(const PatternShape&, int p, int, std::vector<int>& out) {
  if (p == 1) out.push_back(0);
}

void message_flows(const PatternShape& s, int, std::vector<NeighbourFlow>& out) {
  out.push_back({0, 1, static_cast<double>(s.data.size()), 1});
}

}  // namespace

PatternRules direct_rules(Pattern pattern) {
  if (pattern == Pattern::chain_broadcast) return {chain_rounds, chain_sends, chain_sources, single_stage, chain_flows};
  if (pattern == Pattern::pairwise_all_to_all)
    return {one_round, pairwise_sends, pairwise_sources, single_stage, pairwise_flows};
  if (pattern == Pattern::neighbour_exchange)
    return {one_round, neighbour_sends, neighbour_sources, single_stage, neighbour_flows};
  return {one_round, message_sends, message_sources, single_stage, message_flows};
}

}  // namespace mlsim::sim
