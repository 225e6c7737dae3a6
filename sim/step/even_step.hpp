// A step whose ranks are all alike, in closed form.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step_order.hpp"

namespace mlsim::sim {

/// The end of the step where none of the ranks waits for another, and each vertex takes its `duration`.
Seconds even_step_time(const StepOrder& order, const std::vector<Seconds>& duration);

}  // namespace mlsim::sim
