// A `RawOutcome` is what a simulated step says before it is a timeline: a child sends it home.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step/rank_classes.hpp"
#include "sim/step/step_run.hpp"
#include "sim/step/step_schedule.hpp"

namespace mlsim::sim {

/// It holds the intervals of the traced classes and the end of all.
struct RawOutcome {
  std::vector<std::uint32_t> traced;              // class numbers
  std::vector<StepSchedule::Interval> intervals;  // of each traced class, of each vertex of its role
  Seconds time;
  std::uint64_t flows = 0, events = 0;
};

/// Reads off a run that is complete what its slowest classes did.
RawOutcome gathered(const StepSchedule& schedule, const StepRun& run, const std::vector<RankClass>& classes);

std::string pack(const RawOutcome& raw);
RawOutcome unpack(const std::string& bytes);

}  // namespace mlsim::sim
