#include "bare_clusters.hpp"
#include "catch.hpp"
#include "tests/oracles/symbolic.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// The sends of a schedule with those of one round changed.
RoundSource changed(int round, void (*change)(std::vector<Send>& sends)) {
  return [round, change](const PhaseGroup& group, int k) {
    std::vector<Send> sends = round_sends(group, k);
    if (k == round) change(sends);
    return sends;
  };
}

void drop_first(std::vector<Send>& sends) { sends.erase(sends.begin()); }
void repeat_first(std::vector<Send>& sends) { sends.push_back(sends.front()); }

}  // namespace

TEST_CASE("a lost message of a ring all-reduce is seen as a missing contribution") {
  const Schedule ring = single(CollectiveKind::all_reduce, Pattern::ring_all_reduce, 4, 16);
  CHECK_THAT(schedule_fault(ring, changed(1, drop_first)), ContainsSubstring("misses the data of rank"));
}

TEST_CASE("a repeated sum is seen as a contribution too many") {
  const Schedule ring = single(CollectiveKind::all_reduce, Pattern::ring_all_reduce, 4, 16);
  CHECK_THAT(schedule_fault(ring, changed(0, repeat_first)), ContainsSubstring("has too often the data of rank 0"));
}

TEST_CASE("a reduce-scatter that runs twice counts contributions twice") {
  Schedule line = single(CollectiveKind::reduce_scatter, Pattern::line_reduce_scatter, 5, 25);
  line.lanes[0].phases.push_back(line.lanes[0].phases[0]);
  CHECK_THAT(schedule_fault(line), ContainsSubstring("too often"));
}

TEST_CASE("a wrong segment is seen") {
  const Schedule halving = single(CollectiveKind::all_reduce, Pattern::halving_doubling_all_reduce, 8, 64);
  const auto shorten = [](std::vector<Send>& sends) { --sends.front().data.end; };
  CHECK_THAT(schedule_fault(halving, changed(2, shorten)), ContainsSubstring("misses"));
}

TEST_CASE("an all-gather that lacks a phase leaves ranks without data") {
  Schedule gather = single(CollectiveKind::all_gather, Pattern::ring_all_gather, 4, 16);
  CHECK_THAT(schedule_fault(gather, changed(2, drop_first)), ContainsSubstring("misses the data of rank"));
}

TEST_CASE("a reduce-scatter without an owner for some elements is seen") {
  Schedule ring = single(CollectiveKind::reduce_scatter, Pattern::ring_reduce_scatter, 4, 16);
  ring.lanes[0].phases[0].groups[0].data.end = 12;
  CHECK_THAT(schedule_fault(ring), ContainsSubstring("elements 12 to 16 have 0 owners"));
}

TEST_CASE("a message of a broadcast that is sent before it has arrived carries nothing") {
  const Schedule chain = single(CollectiveKind::broadcast, Pattern::chain_broadcast, 3, 4);
  const RoundSource at_once = [](const PhaseGroup& group, int k) {
    return k == 0 ? round_sends(group, 1) : round_sends(group, 0);
  };
  CHECK_THAT(schedule_fault(chain, at_once), ContainsSubstring("rank 2 misses the data of rank 0"));
}

TEST_CASE("lost, repeated and misdirected blocks of an all-to-all are seen") {
  const Schedule pairwise = single(CollectiveKind::all_to_all, Pattern::pairwise_all_to_all, 4, 16);
  CHECK(schedule_fault(pairwise, changed(0, drop_first)) == "rank 1 misses the data of rank 0");
  CHECK(schedule_fault(pairwise, changed(0, repeat_first)) == "rank 1 has too often the data of rank 0");
  const auto shift = [](std::vector<Send>& sends) { sends.front().data = {0, 4}; };
  CHECK(schedule_fault(pairwise, changed(0, shift)) == "rank 1 gets elements 0 to 4 of rank 0 instead of 4 to 8");
}

TEST_CASE("a halo that does not arrive is seen") {
  const Schedule halo = single(CollectiveKind::halo_exchange, Pattern::neighbour_exchange, 3, 8);
  CHECK(schedule_fault(halo, changed(0, drop_first)) == "rank 1 misses the data of rank 0");
}

TEST_CASE("a message to the wrong rank is seen") {
  Schedule message = single(CollectiveKind::send_receive, Pattern::point_to_point, 3, 8);
  message.lanes[0].phases[0].groups[0].ranks = {0, 2, 1};
  CHECK(schedule_fault(message) == "rank 1 misses the data of rank 0");
}
