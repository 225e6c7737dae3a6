// check_step_limit() refuses steps that are too long to be an answer.
#pragma once

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::sim {

inline constexpr Seconds kLongestStep(1e9);  // 32 years: a figure that was given is off by orders of magnitude

/// Throws Infeasible where a step of `time` exceeds kLongestStep, with the span of its timeline that takes longest.
void check_step_limit(Seconds time, const Timeline& timeline);

}  // namespace mlsim::sim
