// shown_class() chooses the ranks whose parts of a step stand for all.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/namespace.hpp"
#include "sim/step/step_run.hpp"
#include "sim/step/step_schedule.hpp"

namespace mlsim::sim {

/// The class is that of the first of the fastest ranks of the stage with the most to compute, which the others wait
/// for: the same rank however they are folded. Classes are numbered by their first rank.
std::uint32_t shown_class(const StepSchedule& schedule, const std::vector<RankClass>& classes);

}  // namespace mlsim::sim
