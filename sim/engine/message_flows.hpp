// run_message_flows() runs every message of every round of one collective as flows on a FlowNetwork: it is the second
// answer beside message_run.hpp, and the quick one.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/engine/message_run.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// Does by callbacks on an empty `network` what run_messages() does with an actor for each rank. The times are the same
/// to 1e-9 where all routes of a rank have one latency; else that of a longer route counts from the synchronisation of
/// both ends (there: from the sender's arrival). On our own solver 4096 ranks and 1.3 million messages take two
/// seconds; SimGrid is slow with that many live flows.
MessageRun run_message_flows(FlowNetwork& network, const Schedule& schedule, const Cluster& cluster,
                             const LinkEfficiency& efficiency, Bytes bytes, const std::vector<Seconds>& arrival = {});

}  // namespace mlsim::sim
