// even_step_time() gives a step whose ranks are all alike in closed form.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step_order.hpp"

namespace mlsim::sim {

/// Returns the end of the step where no rank waits for another and each vertex takes its `duration`.
Seconds even_step_time(const StepOrder& order, const std::vector<Seconds>& duration);

}  // namespace mlsim::sim
