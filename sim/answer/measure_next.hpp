// measure_next() lists what to measure next, so that an answer leans less on figures of others.
#pragma once

#include <vector>

#include "core/result/prediction.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

inline constexpr std::size_t kMostMeasurements = 5;

/// Lists what would narrow the answer most, the most first: kernels by law, transfer, curve or roofline (the heaviest
/// keys) and collectives without a curve of their own, each by its share of the step times its spread, then figures of
/// the accelerator that are assumed. `time` is that of the whole step.
std::vector<NextMeasurement> measure_next(const CostedStep& step, Seconds time);

}  // namespace mlsim::sim
