// Our own solver behind FlowNetwork.
#pragma once

#include <memory>

#include "sim/engine/flow_network.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Progressive filling: exact, without SimGrid. When flows start or end, the rates of those flows are computed anew
/// that share a link with them, directly or through others. Slow with many flows that share links.
std::unique_ptr<FlowNetwork> make_max_min_flow_network();

}  // namespace mlsim::sim
