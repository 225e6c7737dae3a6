// The functions of a `SimgridModule`.
#pragma once

#include <memory>
#include <vector>

#include "sim/engine/flow_network.hpp"
#include "sim/engine/message_run.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

std::unique_ptr<FlowNetwork> new_simgrid_network();

MessageRun simgrid_messages(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                            const MessageRoutes& routes, Bytes bytes, const std::vector<Seconds>& arrival);

}  // namespace mlsim::sim
