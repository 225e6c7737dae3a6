// An exchange of gradients slows the kernels that run beside it: a mechanism for what-ifs.
//
// Collectives hold compute units and memory bandwidth. Published rows cannot tell this from a constant factor on all
// compute (docs/models.md, "contention"), so it is off unless asked for.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step_order.hpp"

namespace mlsim::sim {

/// Gives how long each vertex takes where kernels run at 1 / (1 + slowdown) of their speed while a node of
/// Stream::communication runs on the same rank. `duration` is how long each takes undisturbed. The result is exact for
/// ranks that are alike and wait for nobody (from event to event, O(vertices)) and has even_step_time() for its end.
std::vector<Seconds> slowed_by_exchange(const StepOrder& order, const std::vector<Seconds>& duration, double slowdown);

}  // namespace mlsim::sim
