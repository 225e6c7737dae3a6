#include "tests/oracles/closed_form.hpp"

#include <algorithm>
#include <bit>

#include "sim/collectives/pattern.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

namespace {

Seconds message(AlphaBeta link, Bytes bytes) { return link.alpha + bytes / link.bandwidth; }

// Thakur, Rabenseifner & Gropp 2005, section 4.4: k levels that halve the data; n - 2^k extra positions fold in with
// all of it before. In a reduce-scatter a participant also stands for its extra's piece, which makes the largest block
// of b participants b + min(b, extra) pieces of n, and each extra gets its piece last.
Seconds halving_time(int n, Bytes bytes, AlphaBeta link) {
  const int m = static_cast<int>(std::bit_floor(static_cast<unsigned>(n))), extra = n - m;
  Seconds time;
  for (int block = m / 2; block > 0; block /= 2) time += message(link, bytes * (block + std::min(block, extra)) / n);
  if (extra > 0) time += message(link, bytes) + message(link, bytes / n);
  return time;
}

// The same paper: 2 log2(m) alpha + 2 (m-1)/m S beta, and 2 alpha + 2 S beta for the extras.
Seconds halving_doubling_time(int n, Bytes bytes, AlphaBeta link) {
  const int m = static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
  const int levels = std::bit_width(static_cast<unsigned>(m)) - 1;
  Seconds time = 2.0 * levels * link.alpha + 2.0 * (m - 1) / m * (bytes / link.bandwidth);
  if (n > m) time += 2.0 * message(link, bytes);
  return time;
}

}  // namespace

Seconds pattern_time(Pattern pattern, int n, Bytes bytes, AlphaBeta link, int chunks) {
  if (n < 2) return Seconds(0);
  const int k = std::max(1, chunks);
  const auto rounds = [&](int count, Bytes each) { return static_cast<double>(count) * message(link, each); };
  switch (pattern) {
    // (n-1)(alpha + S/n beta): Patarasuk & Yuan 2009, section 3. A line takes as many rounds of the same size, see
    // line.cpp; it has half of a ring's bandwidth because it needs both directions for one payload.
    case Pattern::ring_reduce_scatter:
    case Pattern::ring_all_gather:
    case Pattern::line_reduce_scatter:
    case Pattern::line_all_gather: return rounds(n - 1, bytes / n);
    case Pattern::ring_all_reduce:
    case Pattern::line_all_reduce: return rounds(2 * (n - 1), bytes / n);
    case Pattern::halving_reduce_scatter:
    case Pattern::doubling_all_gather: return halving_time(n, bytes, link);
    case Pattern::halving_doubling_all_reduce: return halving_doubling_time(n, bytes, link);
    // Sanders, Speck & Traeff 2009, section 2: a pipeline of k chunks over h hops takes h + k - 1 rounds; the reduction
    // to the root and the broadcast from it make one pipeline of 2h hops.
    case Pattern::tree_all_reduce: return rounds(2 * tree_height(n) + k - 1, bytes / k);
    case Pattern::tree_broadcast: return rounds(tree_height(n) + k - 1, bytes / k);
    case Pattern::chain_broadcast: return rounds(n - 2 + k, bytes / k);
    // All messages at once through one port.
    case Pattern::pairwise_all_to_all: return message(link, bytes * (n - 1) / n);
    case Pattern::neighbour_exchange: return message(link, bytes / 2);
    case Pattern::point_to_point: return message(link, bytes);
  }
  return Seconds(0);
}

}  // namespace mlsim::test
