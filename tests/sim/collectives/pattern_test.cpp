#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "bare_clusters.hpp"
#include "catch.hpp"
#include "sim/collectives/schedule.hpp"
#include "tests/oracles/symbolic.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

struct PatternCase {
  Pattern pattern;
  CollectiveKind kind;
};

const std::vector<PatternCase>& cases() {
  using enum CollectiveKind;
  static const std::vector<PatternCase> all{
      {Pattern::ring_reduce_scatter, reduce_scatter},
      {Pattern::ring_all_gather, all_gather},
      {Pattern::ring_all_reduce, all_reduce},
      {Pattern::line_reduce_scatter, reduce_scatter},
      {Pattern::line_all_gather, all_gather},
      {Pattern::line_all_reduce, all_reduce},
      {Pattern::halving_reduce_scatter, reduce_scatter},
      {Pattern::doubling_all_gather, all_gather},
      {Pattern::halving_doubling_all_reduce, all_reduce},
      {Pattern::tree_all_reduce, all_reduce},
      {Pattern::chain_broadcast, broadcast},
      {Pattern::tree_broadcast, broadcast},
      {Pattern::pairwise_all_to_all, all_to_all},
      {Pattern::neighbour_exchange, halo_exchange},
  };
  return all;
}

bool same(const Send& a, const Send& b) {
  return a.from == b.from && a.to == b.to && a.data == b.data && a.reduce == b.reduce;
}

const PhaseGroup& only_group(const Schedule& schedule) { return schedule.lanes[0].phases[0].groups[0]; }

std::vector<std::uint64_t> elements_sent(const PhaseGroup& group) {
  std::vector<std::uint64_t> sent(group.ranks.size(), 0);
  for (int round = 0; round < round_count(group); ++round)
    for (const Send& send : round_sends(group, round)) sent[send.from] += send.data.size();
  return sent;
}

}  // namespace

TEST_CASE("pieces cover a range once and differ by at most one element") {
  for (const std::uint64_t n : {1, 2, 3, 7, 16}) {
    for (const std::uint64_t size : {0, 1, 6, 7, 8, 1000}) {
      std::uint64_t at = 5;
      for (std::uint64_t i = 0; i < n; ++i) {
        const Segment part = piece({5, 5 + size}, i, n);
        CHECK(part.begin == at);
        CHECK(part.size() >= size / n);
        CHECK(part.size() <= size / n + 1);
        at = part.end;
      }
      CHECK(at == 5 + size);
    }
  }
}

TEST_CASE("every pattern does what its collective promises for 1 to 17 ranks and any number of elements") {
  for (const PatternCase& c : cases()) {
    for (int n = 1; n <= 17; ++n) {
      const auto ranks = static_cast<std::uint64_t>(n);
      for (const std::uint64_t elements :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, ranks - 1, ranks, ranks + 1, std::uint64_t{1000}}) {
        for (const int chunks : {1, 3, 8}) {
          INFO("pattern " << static_cast<int>(c.pattern) << ", ranks " << n << ", elements " << elements << ", chunks "
                          << chunks);
          REQUIRE(schedule_fault(single(c.kind, c.pattern, n, elements, chunks)) == "");
        }
      }
    }
  }
}

TEST_CASE("a message goes from the first position to the second and to no other") {
  for (const std::uint64_t elements : {0, 1, 1000})
    CHECK(schedule_fault(single(CollectiveKind::send_receive, Pattern::point_to_point, 5, elements)) == "");
}

TEST_CASE("the sends of a round are those of its positions, and each is received by the position it goes to") {
  for (const PatternCase& c : cases()) {
    for (int n = 2; n <= 17; ++n) {
      const Schedule schedule = single(c.kind, c.pattern, n, 1003, 5);
      const PhaseGroup& group = only_group(schedule);
      for (int round = 0; round < round_count(group); ++round) {
        INFO("pattern " << static_cast<int>(c.pattern) << ", ranks " << n << ", round " << round);
        std::vector<Send> expected = round_sends(group, round), sent, received;
        for (int p = 0; p < n; ++p) {
          for (const Send& send : position_sends(group, p, round)) sent.push_back(send);
          for (const Send& send : position_receives(group, p, round)) {
            REQUIRE(send.to == p);
            received.push_back(send);
          }
        }
        const auto by_ends = [](const Send& a, const Send& b) {
          return std::array{a.from, a.to} < std::array{b.from, b.to};
        };
        REQUIRE(std::equal(expected.begin(), expected.end(), sent.begin(), sent.end(), same));
        std::stable_sort(expected.begin(), expected.end(), by_ends);
        std::stable_sort(received.begin(), received.end(), by_ends);
        REQUIRE(std::equal(expected.begin(), expected.end(), received.begin(), received.end(), same));
      }
    }
  }
}

TEST_CASE("no round is empty where every position has elements") {
  for (const PatternCase& c : cases()) {
    for (int n = 2; n <= 17; ++n) {
      const Schedule schedule = single(c.kind, c.pattern, n, 1003, 5);
      const PhaseGroup& group = only_group(schedule);
      INFO("pattern " << static_cast<int>(c.pattern) << ", ranks " << n);
      for (int round = 0; round < round_count(group); ++round) CHECK_FALSE(round_sends(group, round).empty());
    }
  }
}

TEST_CASE("every rank of a ring all-reduce sends 2(n-1)/n of the payload") {
  for (int n = 2; n <= 17; ++n) {
    const auto elements = static_cast<std::uint64_t>(60 * n);
    const Schedule schedule = single(CollectiveKind::all_reduce, Pattern::ring_all_reduce, n, elements);
    for (const std::uint64_t sent : elements_sent(only_group(schedule)))
      CHECK(sent == static_cast<std::uint64_t>(2 * (n - 1) * 60));
  }
}

TEST_CASE("recursive halving and doubling sends as little as a ring on 8 ranks") {
  const Schedule schedule = single(CollectiveKind::all_reduce, Pattern::halving_doubling_all_reduce, 8, 800);
  for (const std::uint64_t sent : elements_sent(only_group(schedule))) CHECK(sent == 1400);
}

TEST_CASE("position p of a reduce-scatter ends owning piece p") {
  for (const Pattern pattern :
       {Pattern::ring_reduce_scatter, Pattern::line_reduce_scatter, Pattern::halving_reduce_scatter}) {
    const Schedule schedule = single(CollectiveKind::reduce_scatter, pattern, 6, 60);
    for (int rank = 0; rank < 6; ++rank) {
      const auto begin = static_cast<std::uint64_t>(10 * rank);
      CHECK(owned_segments(schedule, rank) == std::vector<Segment>{{begin, begin + 10}});
    }
  }
}

TEST_CASE("a line uses only hops between neighbours, and each at most once a round and direction") {
  for (const Pattern pattern : {Pattern::line_reduce_scatter, Pattern::line_all_gather, Pattern::line_all_reduce}) {
    for (int n = 2; n <= 17; ++n) {
      const Schedule schedule = single(CollectiveKind::all_reduce, pattern, n, 1000);
      for (int round = 0; round < round_count(only_group(schedule)); ++round) {
        std::set<std::pair<int, int>> hops;
        for (const Send& send : round_sends(only_group(schedule), round)) {
          CHECK(std::abs(send.from - send.to) == 1);
          CHECK(hops.emplace(send.from, send.to).second);
        }
      }
    }
  }
}

TEST_CASE("the odd positions of a tree are leaves and no position has more than two children") {
  for (int n = 2; n <= 33; ++n) {
    const Schedule schedule = single(CollectiveKind::broadcast, Pattern::tree_broadcast, n, 1);
    std::map<int, int> children;
    for (int round = 0; round < round_count(only_group(schedule)); ++round)
      for (const Send& send : round_sends(only_group(schedule), round)) ++children[send.from];
    for (const auto& [position, count] : children) {
      CHECK(position % 2 == 0);
      CHECK(count <= (position == 0 ? 1 : 2));
    }
  }
}
