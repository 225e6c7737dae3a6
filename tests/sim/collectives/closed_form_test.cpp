#include "tests/oracles/closed_form.hpp"

#include <algorithm>

#include "bare_clusters.hpp"
#include "catch.hpp"
#include "tests/oracles/symbolic.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

const AlphaBeta kHop{microseconds(2), gigabytes_per_second(1)};

// The same time from the sends themselves: every round lasts as long as what a rank sends to one other in it, or in an
// all-to-all to all of them.
Seconds executed_time(const PhaseGroup& group) {
  Seconds time;
  for (int round = 0; round < round_count(group); ++round) {
    std::uint64_t largest = 0, of_first = 0;
    for (const Send& send : round_sends(group, round)) {
      largest = std::max(largest, send.data.size());
      if (send.from == 0) of_first += send.data.size();
    }
    if (group.pattern == Pattern::pairwise_all_to_all) largest = of_first;
    time += kHop.alpha + Bytes(static_cast<double>(largest)) / kHop.bandwidth;
  }
  return time;
}

}  // namespace

TEST_CASE("the formula of every pattern is the time of its rounds") {
  for (const Pattern pattern :
       {Pattern::ring_reduce_scatter, Pattern::ring_all_gather, Pattern::ring_all_reduce, Pattern::line_reduce_scatter,
        Pattern::line_all_gather, Pattern::line_all_reduce, Pattern::halving_reduce_scatter,
        Pattern::doubling_all_gather, Pattern::halving_doubling_all_reduce, Pattern::tree_all_reduce,
        Pattern::chain_broadcast, Pattern::tree_broadcast, Pattern::pairwise_all_to_all, Pattern::neighbour_exchange,
        Pattern::point_to_point}) {
    for (int n = 1; n <= 17; ++n) {
      // A multiple of every divisor in play: n, the power of two below it, chunks, 2.
      const auto elements = static_cast<std::uint64_t>(n * 16 * 5 * 100);
      const Schedule schedule = single(CollectiveKind::all_reduce, pattern, n, elements, 5);
      const PhaseGroup& group = schedule.lanes[0].phases[0].groups[0];
      INFO("pattern " << static_cast<int>(pattern) << ", ranks " << n);
      const Seconds formula = pattern_time(pattern, n, Bytes(static_cast<double>(elements)), kHop, 5);
      CHECK(formula.value == Approx(executed_time(group).value).epsilon(1e-12));
    }
  }
}

TEST_CASE("the flows of the stages of a pattern take as long as its formula") {
  for (const Pattern pattern : {Pattern::ring_all_reduce, Pattern::line_all_reduce, Pattern::halving_reduce_scatter,
                                Pattern::halving_doubling_all_reduce, Pattern::tree_all_reduce,
                                Pattern::chain_broadcast, Pattern::neighbour_exchange, Pattern::point_to_point}) {
    for (int n = 2; n <= 17; ++n) {
      const auto elements = static_cast<std::uint64_t>(n * 16 * 5 * 100);
      const Schedule schedule = single(CollectiveKind::all_reduce, pattern, n, elements, 5);
      const PhaseGroup& group = schedule.lanes[0].phases[0].groups[0];
      Seconds time;
      for (int stage = 0; stage < stage_count(group); ++stage) {
        Seconds longest;
        for (const NeighbourFlow& flow : stage_flows(group, stage))
          longest = max(longest, flow.rounds * kHop.alpha + Bytes(flow.elements) / kHop.bandwidth);
        time += longest;
      }
      INFO("pattern " << static_cast<int>(pattern) << ", ranks " << n);
      const Seconds formula = pattern_time(pattern, n, Bytes(static_cast<double>(elements)), kHop, 5);
      CHECK(time.value == Approx(formula.value).epsilon(1e-12));
    }
  }
}

TEST_CASE("4 ranks reduce 4 MB over rings of 1 GB/s and 2 us in 6 rounds of 1.002 ms") {
  CHECK(pattern_time(Pattern::ring_all_reduce, 4, Bytes(4e6), kHop).value == Approx(6 * 1.002e-3));
}

TEST_CASE("8 ranks halve and double 8 MB in 6 messages and 14 MB") {
  CHECK(pattern_time(Pattern::halving_doubling_all_reduce, 8, Bytes(8e6), kHop).value == Approx(6 * 2e-6 + 14e-3));
}

TEST_CASE("5 ranks fold one rank in and out of a halving and doubling of 4") {
  // 2 messages of 4 MB for the fifth rank, 4 messages and 2 * 3/4 of 4 MB for the others.
  CHECK(pattern_time(Pattern::halving_doubling_all_reduce, 5, Bytes(4e6), kHop).value == Approx(6 * 2e-6 + 14e-3));
}

TEST_CASE("a tree of 8 ranks pipelines 10 chunks in 15 rounds") {
  CHECK(pattern_time(Pattern::tree_all_reduce, 8, Bytes(10e6), kHop, 10).value == Approx(15 * 1.002e-3));
}

TEST_CASE("a chain of 5 ranks passes 4 chunks in 7 rounds") {
  CHECK(pattern_time(Pattern::chain_broadcast, 5, Bytes(4e6), kHop, 4).value == Approx(7 * 1.002e-3));
}

TEST_CASE("one rank needs no time") {
  CHECK(pattern_time(Pattern::ring_all_reduce, 1, Bytes(4e6), kHop).value == 0);
  CHECK(pattern_time(Pattern::point_to_point, 1, Bytes(4e6), kHop).value == 0);
}
