// run_messages() runs every message of every round of one collective, on SimGrid with an actor for each rank and lane.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// A route is taken by the messages of a pair of ranks.
struct MessageRoute {
  int from = 0, to = 0;
  std::vector<LinkIndex> links;
  Seconds latency;  // latency of the route and of the software
};

/// Both message-level simulations use `MessageRoutes`: who sends to whom in some lane, phase and round of a schedule, by
/// pair_key(), and over which links.
using MessageRoutes = std::unordered_map<std::uint64_t, MessageRoute>;

inline std::uint64_t pair_key(const Schedule& schedule, int from, int to) {
  return static_cast<std::uint64_t>(from) * static_cast<std::uint64_t>(schedule.ranks) + static_cast<std::uint64_t>(to);
}

MessageRoutes message_routes(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency);

/// Calls `visit(lane, from rank, to rank)` for every pair of neighbours, several times for some.
template <class Visit>
void for_each_neighbour_pair(const Schedule& schedule, Visit visit) {
  for (std::uint32_t lane = 0; lane < schedule.lanes.size(); ++lane)
    for (const Phase& phase : schedule.lanes[lane].phases)
      for (const PhaseGroup& group : phase.groups)
        for (int stage = 0; stage < stage_count(group); ++stage)
          for (const NeighbourFlow& flow : stage_flows(group, stage))
            visit(lane, group.ranks[flow.from], group.ranks[flow.to]);
}

struct MessageRun {
  Seconds time;                // when the last rank has its result
  std::vector<Seconds> left;   // when each rank has
  std::uint64_t messages = 0;  // sent
};

/// A rank goes through the phases of a lane by itself: it starts a round when its own sends and receives of the round
/// before have ended, and lanes run side by side. A message starts when both its ends have come to its round, waits for
/// its latency and then shares its links. `arrival`, where given, is when each rank joins (infinity: never).
/// Use it inside in_child(). Throws std::runtime_error naming the rank and what it waits for where one cannot finish.
/// An all-reduce of 4096 ranks on a torus sends 1.3 million messages, and takes seconds and 100 MB.
MessageRun run_messages(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency, Bytes bytes,
                        const std::vector<Seconds>& arrival = {});

}  // namespace mlsim::sim
