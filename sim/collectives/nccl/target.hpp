// An `NcclTarget` is a topology by name, as the system that NCCL's curves are asked for.
#pragma once

#include <string>

#include "costs/nccl_system.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Throws InputError with the nearest name where there is no such topology, and where NCCL runs no all-reduce on it.
NcclTarget nccl_target(const std::string& topology);

}  // namespace mlsim::sim
