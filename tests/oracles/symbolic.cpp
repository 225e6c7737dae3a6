#include "tests/oracles/symbolic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tests/namespace.hpp"
#include "tests/oracles/buffer.hpp"
#include "tests/oracles/delivery.hpp"

namespace mlsim::test {
std::vector<Send> round_sends(const PhaseGroup& group, int round) {
  std::vector<Send> sends;
  for (int p = 0; p < static_cast<int>(group.ranks.size()); ++p)
    for (const Send& send : position_sends(group, p, round)) sends.push_back(send);
  return sends;
}

namespace {

// The piece that `rank` owns under a group of a scattering or gathering pattern, or the whole where it is no member.
bool narrow(const PhaseGroup& group, int rank, Segment& owned) {
  const auto at = std::find(group.ranks.begin(), group.ranks.end(), rank);
  if (at == group.ranks.end()) return false;
  owned = piece(group.data, static_cast<std::uint64_t>(at - group.ranks.begin()), group.ranks.size());
  return true;
}

bool scatters(Pattern p) {
  return p == Pattern::ring_reduce_scatter || p == Pattern::line_reduce_scatter || p == Pattern::halving_reduce_scatter;
}
bool gathers(Pattern p) {
  return p == Pattern::ring_all_gather || p == Pattern::line_all_gather || p == Pattern::doubling_all_gather;
}

using Buffers = std::vector<SymbolicBuffer>;

Buffers initial_buffers(const Schedule& schedule) {
  Buffers buffers(schedule.ranks, SymbolicBuffer(schedule.elements));
  if (schedule.elements == 0) return buffers;
  const Segment all{0, schedule.elements};
  for (const auto& group : groups_of(schedule)) {
    for (const int rank : group) {
      const Contributions own{{rank, 1}};
      if (schedule.kind == CollectiveKind::all_gather) {
        for (const Segment& segment : owned_segments(schedule, rank)) buffers[rank].replace({segment, own});
      } else if (schedule.kind != CollectiveKind::broadcast || rank == group.front()) {
        buffers[rank].replace({all, own});
      }
    }
  }
  return buffers;
}

void run_round(const PhaseGroup& group, const std::vector<Send>& sends, Buffers& buffers) {
  std::vector<std::vector<SymbolicBuffer::Part>> read;
  for (const Send& send : sends) read.push_back(buffers[group.ranks[send.from]].read(send.data));
  for (std::size_t i = 0; i < sends.size(); ++i) {
    SymbolicBuffer& receiver = buffers[group.ranks[sends[i].to]];
    for (const auto& part : read[i]) sends[i].reduce ? receiver.add(part) : receiver.replace(part);
  }
}

Buffers final_buffers(const Schedule& schedule, const RoundSource& source) {
  Buffers buffers = initial_buffers(schedule);
  for (const Lane& lane : schedule.lanes) {
    for (const Phase& phase : lane.phases) {
      for (const PhaseGroup& group : phase.groups) {
        for (int round = 0; round < round_count(group); ++round) run_round(group, source(group, round), buffers);
      }
    }
  }
  return buffers;
}

// The first rank whose count in `found` is not that in `expected`, as a sentence.
std::string difference(int rank, const SymbolicBuffer::Part& part, const Contributions& expected) {
  Contributions missing = expected;
  for (auto& [from, count] : missing) count = -count;
  for (const auto& [from, count] : sum(part.what, missing)) {
    if (count == 0) continue;
    return fmt::format("rank {} {} rank {} in elements {} to {}", rank,
                       count < 0 ? "misses the data of" : "has too often the data of", from, part.where.begin,
                       part.where.end);
  }
  return {};
}

std::string check(const Buffers& buffers, int rank, Segment where, const Contributions& expected) {
  for (const auto& part : buffers[rank].read(where)) {
    if (auto fault = difference(rank, part, expected); !fault.empty()) return fault;
  }
  return {};
}

Contributions everyone(std::vector<int> group) {
  std::sort(group.begin(), group.end());
  Contributions all;
  for (const int rank : group) all.emplace_back(rank, 1);
  return all;
}

std::string check_summed(const Schedule& schedule, const std::vector<int>& group, const Buffers& buffers) {
  const Contributions all = everyone(group);
  for (const int rank : group) {
    std::vector<Segment> promised{{0, schedule.elements}};
    if (schedule.kind == CollectiveKind::reduce_scatter) promised = owned_segments(schedule, rank);
    for (const Segment& segment : promised) {
      if (auto fault = check(buffers, rank, segment, all); !fault.empty()) return fault;
    }
  }
  return {};
}

std::string check_copied(const Schedule& schedule, const std::vector<int>& group, const Buffers& buffers) {
  for (const int owner : group) {
    std::vector<Segment> owned;
    if (schedule.kind == CollectiveKind::all_gather)
      owned = owned_segments(schedule, owner);
    else if (owner == group.front())
      owned = {{0, schedule.elements}};
    for (const Segment& segment : owned) {
      for (const int rank : group) {
        if (auto fault = check(buffers, rank, segment, {{owner, 1}}); !fault.empty()) return fault;
      }
    }
  }
  return {};
}

// Owned segments must cover the payload of a group once.
std::string check_ownership(const Schedule& schedule, const std::vector<int>& group) {
  SymbolicBuffer owners(schedule.elements);
  for (const int rank : group)
    for (const Segment& segment : owned_segments(schedule, rank)) owners.add({segment, {{rank, 1}}});
  for (const auto& part : owners.read({0, schedule.elements})) {
    if (part.what.size() != 1)
      return fmt::format("elements {} to {} have {} owners", part.where.begin, part.where.end, part.what.size());
  }
  return {};
}

// Ranks of a group may meet only ranks of the same group.
std::string check_members(const Schedule& schedule) {
  constexpr int kNone = -1;
  std::vector<int> group_of(schedule.ranks, kNone);
  const auto groups = groups_of(schedule);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int rank : groups[g]) {
      if (group_of.at(rank) != kNone) return fmt::format("rank {} is in two groups", rank);
      group_of[rank] = static_cast<int>(g);
    }
  }
  for (const Lane& lane : schedule.lanes)
    for (const Phase& phase : lane.phases)
      for (const PhaseGroup& group : phase.groups)
        for (const int rank : group.ranks) {
          if (group_of.at(rank) == kNone) return fmt::format("rank {} takes part but is in no group", rank);
          if (group_of[rank] != group_of[group.ranks.front()])
            return fmt::format("ranks {} and {} of different groups meet in {}", group.ranks.front(), rank, phase.name);
        }
  return {};
}

}  // namespace

std::vector<std::vector<int>> groups_of(const Schedule& schedule) {
  if (!schedule.groups.empty()) return schedule.groups;
  std::vector<int> all(schedule.ranks);
  std::iota(all.begin(), all.end(), 0);
  return {std::move(all)};
}

std::vector<Segment> owned_segments(const Schedule& schedule, int rank) {
  std::vector<Segment> owned;
  if (schedule.lanes.empty()) owned.push_back({0, schedule.elements});
  for (const Lane& lane : schedule.lanes) {
    Segment segment;
    bool member = false;
    // A reduce-scatter narrows phase by phase; an all-gather starts from what its first phase holds.
    for (const Phase& phase : lane.phases) {
      for (const PhaseGroup& group : phase.groups) {
        if (!scatters(group.pattern) && (!gathers(group.pattern) || member)) continue;
        if (narrow(group, rank, segment)) {
          member = true;
          break;
        }
      }
    }
    if (segment.size() > 0) owned.push_back(segment);
  }
  return owned;
}

std::string schedule_fault(const Schedule& schedule, const RoundSource& source) {
  if (auto fault = check_members(schedule); !fault.empty()) return fault;
  const CollectiveKind kind = schedule.kind;
  if (kind == CollectiveKind::all_to_all || kind == CollectiveKind::halo_exchange ||
      kind == CollectiveKind::send_receive)
    return delivery_fault(schedule, source);
  const bool scattered = kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_gather;
  const bool summed = kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
  const Buffers buffers = final_buffers(schedule, source);
  for (const auto& group : groups_of(schedule)) {
    if (scattered) {
      if (auto fault = check_ownership(schedule, group); !fault.empty()) return fault;
    }
    auto fault = summed ? check_summed(schedule, group, buffers) : check_copied(schedule, group, buffers);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace mlsim::test
