// What to measure next, so that an answer leans less on figures of others.
#pragma once

#include <vector>

#include "core/prediction.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "sim/speed/step_cost.hpp"

namespace mlsim::sim {

inline constexpr std::size_t kMostMeasurements = 5;

/// What would narrow the answer most, the most first: kernels by law, transfer, curve or roofline (the heaviest keys)
/// and collectives without a curve of their own, each by its share of the step times its spread, then figures of the
/// accelerator that are assumed. `otherwise` is the spread of what rests on no measurement.
std::vector<NextMeasurement> measure_next(const Plan& plan, const LoweredPlan& lowered, const KernelCost& cost,
                                          Seconds step, double otherwise);

}  // namespace mlsim::sim
