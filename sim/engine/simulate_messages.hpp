// simulate_messages() runs one collective message by message, on either engine.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/engine/fidelity.hpp"
#include "sim/engine/message_run.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// SimGrid's actors run in a forked child, our own solver here. `arrival`, where given, says when each rank joins.
/// Throws std::runtime_error naming the rank and what it waits for where one cannot finish.
MessageRun simulate_messages(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                             Bytes bytes, Engine engine, const std::vector<Seconds>& arrival = {});

}  // namespace mlsim::sim
