#include "sim/collectives/symbolic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/collectives/buffer.hpp"
#include "sim/collectives/delivery.hpp"

namespace mlsim {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

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
  Buffers buffers(index(schedule.ranks), SymbolicBuffer(schedule.elements));
  if (schedule.elements == 0) return buffers;
  const Segment all{0, schedule.elements};
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    const Contributions own{{rank, 1}};
    if (schedule.kind == CollectiveKind::all_gather) {
      for (const Segment& segment : owned_segments(schedule, rank)) buffers[index(rank)].replace({segment, own});
    } else if (schedule.kind != CollectiveKind::broadcast || rank == 0) {
      buffers[index(rank)].replace({all, own});
    }
  }
  return buffers;
}

void run_round(const PhaseGroup& group, const std::vector<Send>& sends, Buffers& buffers) {
  std::vector<std::vector<SymbolicBuffer::Part>> read;
  for (const Send& send : sends) read.push_back(buffers[index(group.ranks[index(send.from)])].read(send.data));
  for (std::size_t i = 0; i < sends.size(); ++i) {
    SymbolicBuffer& receiver = buffers[index(group.ranks[index(sends[i].to)])];
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
  for (const auto& part : buffers[index(rank)].read(where)) {
    if (auto fault = difference(rank, part, expected); !fault.empty()) return fault;
  }
  return {};
}

Contributions everyone(int ranks) {
  Contributions all;
  for (int rank = 0; rank < ranks; ++rank) all.emplace_back(rank, 1);
  return all;
}

std::string check_summed(const Schedule& schedule, const Buffers& buffers) {
  const Contributions all = everyone(schedule.ranks);
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    std::vector<Segment> promised{{0, schedule.elements}};
    if (schedule.kind == CollectiveKind::reduce_scatter) promised = owned_segments(schedule, rank);
    for (const Segment& segment : promised) {
      if (auto fault = check(buffers, rank, segment, all); !fault.empty()) return fault;
    }
  }
  return {};
}

std::string check_copied(const Schedule& schedule, const Buffers& buffers) {
  for (int owner = 0; owner < schedule.ranks; ++owner) {
    std::vector<Segment> owned;
    if (schedule.kind == CollectiveKind::all_gather)
      owned = owned_segments(schedule, owner);
    else if (owner == 0)
      owned = {{0, schedule.elements}};
    for (const Segment& segment : owned) {
      for (int rank = 0; rank < schedule.ranks; ++rank) {
        if (auto fault = check(buffers, rank, segment, {{owner, 1}}); !fault.empty()) return fault;
      }
    }
  }
  return {};
}

// Owned segments must cover the payload once.
std::string check_ownership(const Schedule& schedule) {
  SymbolicBuffer owners(schedule.elements);
  for (int rank = 0; rank < schedule.ranks; ++rank)
    for (const Segment& segment : owned_segments(schedule, rank)) owners.add({segment, {{rank, 1}}});
  for (const auto& part : owners.read({0, schedule.elements})) {
    if (part.what.size() != 1)
      return fmt::format("elements {} to {} have {} owners", part.where.begin, part.where.end, part.what.size());
  }
  return {};
}

}  // namespace

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
  switch (schedule.kind) {
    case CollectiveKind::all_to_all:
    case CollectiveKind::halo_exchange:
    case CollectiveKind::send_receive: return delivery_fault(schedule, source);
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      if (auto fault = check_ownership(schedule); !fault.empty()) return fault;
      break;
    case CollectiveKind::all_reduce:
    case CollectiveKind::broadcast: break;
  }
  const Buffers buffers = final_buffers(schedule, source);
  const bool summed = schedule.kind == CollectiveKind::all_reduce || schedule.kind == CollectiveKind::reduce_scatter;
  return summed ? check_summed(schedule, buffers) : check_copied(schedule, buffers);
}

}  // namespace mlsim
