#include "tests/oracles/delivery.hpp"
#include "tests/namespace.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace mlsim::test {

namespace {

using Pair = std::pair<int, int>;  // sending rank, receiving rank
using Deliveries = std::map<Pair, std::vector<Segment>>;

Deliveries deliveries(const Schedule& schedule, const RoundSource& source) {
  Deliveries found;
  for (const Lane& lane : schedule.lanes) {
    for (const Phase& phase : lane.phases) {
      for (const PhaseGroup& group : phase.groups) {
        for (int round = 0; round < round_count(group); ++round) {
          for (const Send& send : source(group, round)) {
            const auto rank = [&group](int position) { return group.ranks[position]; };
            found[{rank(send.from), rank(send.to)}].push_back(send.data);
          }
        }
      }
    }
  }
  return found;
}

std::string compare(const Deliveries& found, const Deliveries& expected) {
  for (const auto& [pair, segments] : expected) {
    const auto at = found.find(pair);
    if (at == found.end()) return fmt::format("rank {} misses the data of rank {}", pair.second, pair.first);
    if (at->second.size() > segments.size())
      return fmt::format("rank {} has too often the data of rank {}", pair.second, pair.first);
    if (at->second != segments)
      return fmt::format("rank {} gets elements {} to {} of rank {} instead of {} to {}", pair.second,
                         at->second[0].begin, at->second[0].end, pair.first, segments[0].begin, segments[0].end);
  }
  for (const auto& [pair, segments] : found) {
    if (!expected.contains(pair)) return fmt::format("rank {} gets data of rank {} unasked", pair.second, pair.first);
  }
  return {};
}

void expect(Deliveries& expected, int from, int to, std::uint64_t begin, std::uint64_t end) {
  if (begin < end) expected[{from, to}].push_back({begin, end});
}

// Block j of a sender's buffer is for rank j of its group: the first `elements % ranks` blocks have one element more.
void expect_all_to_all(Deliveries& expected, const std::vector<int>& group, std::uint64_t elements) {
  const auto ranks = static_cast<std::uint64_t>(group.size());
  std::uint64_t begin = 0;
  for (std::size_t to = 0; to < group.size(); ++to) {
    const std::uint64_t end = begin + elements / ranks + (to < elements % ranks ? 1 : 0);
    for (const int from : group) {
      if (from != group[to]) expect(expected, from, group[to], begin, end);
    }
    begin = end;
  }
}

// The first half (the longer one) goes to the neighbour before, the rest to the one after.
Deliveries halo_deliveries(const Schedule& schedule) {
  Deliveries expected;
  const std::uint64_t half = schedule.elements - schedule.elements / 2;
  for (const Lane& lane : schedule.lanes) {
    for (const Phase& phase : lane.phases) {
      for (const PhaseGroup& group : phase.groups) {
        for (std::size_t p = 0; p + 1 < group.ranks.size(); ++p) {
          expect(expected, group.ranks[p], group.ranks[p + 1], half, schedule.elements);
          expect(expected, group.ranks[p + 1], group.ranks[p], 0, half);
        }
      }
    }
  }
  return expected;
}

}  // namespace

std::string delivery_fault(const Schedule& schedule, const RoundSource& source) {
  Deliveries expected;
  if (schedule.kind == CollectiveKind::halo_exchange) expected = halo_deliveries(schedule);
  for (const auto& group : groups_of(schedule)) {
    if (schedule.kind == CollectiveKind::all_to_all) expect_all_to_all(expected, group, schedule.elements);
    if (schedule.kind == CollectiveKind::send_receive && group.size() > 1)
      expect(expected, group[0], group[1], 0, schedule.elements);
  }
  return compare(deliveries(schedule, source), expected);
}

}  // namespace mlsim::test
