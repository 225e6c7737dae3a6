// Recursive halving and doubling (Thakur, Rabenseifner & Gropp 2005) works here for any number of positions.
//
// The m = 2^k <= n participants pair up at distances m/2, m/4, .. 1; each of the n-m extra positions (the odd ones of
// the first 2(n-m)) gives its data to the participant before it first and gets its result back last.
#include <bit>

#include "sim/collectives/pattern.hpp"

namespace mlsim::sim {

namespace {

struct Halving {
  int n = 0, m = 1, extra = 0, levels = 0;

  explicit Halving(int positions) : n(positions) {
    levels = static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
    m = 1 << levels;
    extra = n - m;
  }
  bool is_extra(int p) const { return p < 2 * extra && p % 2 == 1; }
  bool has_extra(int p) const { return p < 2 * extra && p % 2 == 0; }
  int participant(int p) const { return p < 2 * extra ? p / 2 : p - extra; }
  int position(int v) const { return v < extra ? 2 * v : v + extra; }
};

// `Cut` says which pieces lie before participant v. An all-reduce cuts the data into m equal pieces; where every
// position must end with its own piece of n, a participant also stands for the piece of its extra.
enum class Cut { even, by_position };

int first_piece(const Halving& h, Cut cut, int v) { return cut == Cut::even ? v : h.position(v); }

// Gives the pieces of the aligned block of `width` participants that holds v; h.position(m) == n closes the last block.
Segment block(const PatternShape& s, const Halving& h, Cut cut, int v, int width) {
  const int first = v / width * width;
  return pieces(s.data, first_piece(h, cut, first), first_piece(h, cut, first + width), cut == Cut::even ? h.m : h.n);
}

void fold_sends(const PatternShape& s, const Halving& h, int p, std::vector<Send>& out) {
  if (h.is_extra(p)) add_send(out, p, p - 1, s.data, true);
}

void halving_sends(const PatternShape& s, const Halving& h, Cut cut, int p, int level, std::vector<Send>& out) {
  if (h.is_extra(p)) return;
  const int width = h.m >> (level + 1), partner = h.participant(p) ^ width;
  add_send(out, p, h.position(partner), block(s, h, cut, partner, width), true);
}

void doubling_sends(const PatternShape& s, const Halving& h, Cut cut, int p, int level, std::vector<Send>& out) {
  if (h.is_extra(p)) return;
  const int width = 1 << level, v = h.participant(p);
  add_send(out, p, h.position(v ^ width), block(s, h, cut, v, width), false);
}

void unfold_sends(const PatternShape& s, const Halving& h, int p, std::vector<Send>& out) {
  if (h.has_extra(p)) add_send(out, p, p + 1, s.data, false);
}

Segment own_piece(const PatternShape& s, int p) { return pieces(s.data, p, p + 1, s.positions); }

int fold_round(const Halving& h) { return h.extra > 0 ? 1 : 0; }

int half_rounds(const PatternShape& s) {
  const Halving h(s.positions);
  return h.levels + 2 * fold_round(h);
}

int all_rounds(const PatternShape& s) {
  const Halving h(s.positions);
  return 2 * (h.levels + fold_round(h));
}

void reduce_scatter_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const Halving h(s.positions);
  const int level = round - fold_round(h);
  if (level < 0) return fold_sends(s, h, p, out);
  if (level < h.levels) return halving_sends(s, h, Cut::by_position, p, level, out);
  if (h.has_extra(p)) add_send(out, p, p + 1, own_piece(s, p + 1), false);
}

void all_gather_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const Halving h(s.positions);
  const int level = round - fold_round(h);
  if (level < 0) {
    if (h.is_extra(p)) add_send(out, p, p - 1, own_piece(s, p), false);
    return;
  }
  if (level < h.levels) return doubling_sends(s, h, Cut::by_position, p, level, out);
  unfold_sends(s, h, p, out);
}

void all_reduce_sends(const PatternShape& s, int p, int round, std::vector<Send>& out) {
  const Halving h(s.positions);
  const int level = round - fold_round(h);
  if (level < 0) return fold_sends(s, h, p, out);
  if (level < h.levels) return halving_sends(s, h, Cut::even, p, level, out);
  if (level < 2 * h.levels) return doubling_sends(s, h, Cut::even, p, level - h.levels, out);
  unfold_sends(s, h, p, out);
}

// Gives the distance of the partners in a level of `sends` above, or 0 in the rounds of the extras.
int partner_distance(const Halving& h, Pattern pattern, int round) {
  const int level = round - fold_round(h);
  if (level < 0) return 0;
  if (pattern == Pattern::doubling_all_gather) return level < h.levels ? 1 << level : 0;
  if (level < h.levels) return h.m >> (level + 1);
  const int back = level - h.levels;
  return pattern == Pattern::halving_doubling_all_reduce && back < h.levels ? 1 << back : 0;
}

template <Pattern pattern>
void sources(const PatternShape& s, int p, int round, std::vector<int>& out) {
  const Halving h(s.positions);
  const int distance = partner_distance(h, pattern, round);
  if (distance > 0) {
    if (!h.is_extra(p)) out.push_back(h.position(h.participant(p) ^ distance));
  } else if (p < 2 * h.extra) {
    out.push_back(p ^ 1);
  }
}

// Every round has its own partners, so every round is a stage; sizes are those of the sends.
template <void (*sends)(const PatternShape&, int, int, std::vector<Send>&)>
void flows(const PatternShape& s, int stage, std::vector<NeighbourFlow>& out) {
  std::vector<Send> round;
  for (int p = 0; p < s.positions; ++p) sends(s, p, stage, round);
  for (const Send& send : round) out.push_back({send.from, send.to, static_cast<double>(send.data.size()), 1});
}

}  // namespace

PatternRules halving_rules(Pattern pattern) {
  if (pattern == Pattern::halving_reduce_scatter)
    return {half_rounds, reduce_scatter_sends, sources<Pattern::halving_reduce_scatter>, half_rounds,
            flows<reduce_scatter_sends>};
  if (pattern == Pattern::doubling_all_gather)
    return {half_rounds, all_gather_sends, sources<Pattern::doubling_all_gather>, half_rounds, flows<all_gather_sends>};
  return {all_rounds, all_reduce_sends, sources<Pattern::halving_doubling_all_reduce>, all_rounds,
          flows<all_reduce_sends>};
}

}  // namespace mlsim::sim
