// run_messages() runs every message of every round of one collective, on SimGrid with an actor for each rank and lane.
#pragma once

#include <cstdint>
#include <vector>

#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

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
