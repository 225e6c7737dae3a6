// StepSums say what a recorded step's time went to.
#pragma once

#include <cstddef>
#include <vector>

#include "replay/trace/rank_trace.hpp"

namespace mlsim::replay {

/// These are times in which something of its kind ran on any stream, each moment counted once.
struct StepSums {
  Seconds compute, collective, copy;
  Seconds exposed;     // collectives beside which nothing is computed
  Seconds overlapped;  // collectives beside which something is
  Seconds busy;        // anything at all
  Seconds idle;        // the rest of the step; none where the host runs ahead of the accelerator
  std::size_t kernels = 0, collectives = 0;
};

/// Returns one for each step, in their order.
std::vector<StepSums> step_sums(const RankTrace& trace);

/// CollectiveTimes are those of collectives that are alike, over all steps of one rank.
struct CollectiveTimes {
  RecordedCollective collective;
  std::vector<Seconds> times;  // ascending, at least one; waiting for other ranks is in them

  Seconds least() const { return times.front(); }
  Seconds median() const { return times[times.size() / 2]; }
};
/// Returns the collectives in the order in which they first ran.
std::vector<CollectiveTimes> collective_times(const RankTrace& trace);

}  // namespace mlsim::replay
