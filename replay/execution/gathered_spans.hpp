// The spans of all ranks on one clock.
#pragma once

#include <vector>

#include "calibrate/collectives/world.hpp"
#include "core/result/replay_run.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// By step.
using StepSpans = std::vector<std::vector<ReplaySpan>>;

/// How this rank's clock stands to rank 0's: by round trips now and once more after the steps. In between the lead grows
/// evenly.
class RankClock {
 public:
  /// Collective, as are the other two.
  explicit RankClock(calibrate::World& world);
  void compare_again();
  /// By rank, on every rank.
  std::vector<ReplayClock> gathered() const;

  Seconds on_root(Seconds own) const;

 private:
  calibrate::World& world_;
  Seconds at_;  // when the two were compared first, on this clock
  ReplayClock clock_;
};

/// By rank, on rank 0's clock, on every rank. Collective.
std::vector<StepSpans> gathered_spans(calibrate::World& world, const StepSpans& own, const RankClock& clock);

}  // namespace mlsim::replay
