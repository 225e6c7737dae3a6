// server_program() makes a program of flows from a pull or a push.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/fold/flow_program.hpp"
#include "sim/namespace.hpp"
#include "sim/parameter_server/server_traffic.hpp"

namespace mlsim::sim {

/// A rank class has `class_size` ranks; all join every phase, since a sum is there when all have given their part.
FlowProgram server_program(const ServerTraffic& traffic, std::vector<std::uint32_t> class_size);

}  // namespace mlsim::sim
