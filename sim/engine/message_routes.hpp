// Both message-level simulations use `MessageRoutes`: who sends to whom in a schedule, and over which links.
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

inline constexpr std::uint32_t kNoGroup = ~0u;

/// A `GroupPlace` says where a rank stands in a phase.
struct GroupPlace {
  std::uint32_t group = kNoGroup;
  int position = 0;
};

/// Returns places[phase][rank].
std::vector<std::vector<GroupPlace>> group_places(const Lane& lane, std::size_t ranks);

/// A route is taken by the messages of a pair of ranks.
struct MessageRoute {
  int from = 0, to = 0;
  std::vector<LinkIndex> links;
  Seconds latency;  // latency of the route and of the software
};

/// Routes are stored by pair_key(), for every pair that sends in some lane, phase and round.
using MessageRoutes = std::unordered_map<std::uint64_t, MessageRoute>;

std::uint64_t pair_key(const Schedule& schedule, int from, int to);
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

}  // namespace mlsim::sim
