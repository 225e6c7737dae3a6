// node_times() says what each node of the step graph took, out of the spans of all ranks.
#pragma once

#include <vector>

#include "calibrate/collectives/world.hpp"
#include "core/result/replay_run.hpp"
#include "replay/namespace.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::replay {

/// Spans stand by step.
using StepSpans = std::vector<std::vector<ReplaySpan>>;

/// A RankClock says how this rank's clock stands to rank 0's: by round trips now and once more after the steps. In
/// between the lead grows evenly.
class RankClock {
 public:
  /// The constructor is collective, as are the other two.
  explicit RankClock(calibrate::World& world);
  void compare_again();
  /// Returns the clocks by rank, on every rank.
  std::vector<ReplayClock> gathered() const;

  Seconds on_root(Seconds own) const;

 private:
  calibrate::World& world_;
  Seconds at_;  // when the two were compared first, on this clock
  ReplayClock clock_;
};

/// Returns the spans by rank, on rank 0's clock, on every rank. The call is collective.
std::vector<StepSpans> gathered_spans(calibrate::World& world, const StepSpans& own, const RankClock& clock);

/// Each list stands by rank.
struct SpansOfRanks {
  const std::vector<StepSpans>&whole, &kernels, &exchanges;
};

/// Returns the nodes in vertex order, without those that no rank ran.
std::vector<ReplayNode> node_times(const workloads::StepGraph& graph, const SpansOfRanks& spans);

}  // namespace mlsim::replay
