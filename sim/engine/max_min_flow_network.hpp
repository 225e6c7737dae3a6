// FlowNetwork is implemented here by our own solver.
#pragma once

#include <memory>

#include "sim/engine/flow_network.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Progressive filling is exact and needs no SimGrid. When flows start or end, it computes anew the rates of the flows
/// that share a link with them, directly or through others. It is slow with many flows that share links.
std::unique_ptr<FlowNetwork> make_max_min_flow_network();

}  // namespace mlsim::sim
