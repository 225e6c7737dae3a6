// A RecordedRun is all ranks of a recorded run, and what it says in sum.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "replay/trace/collective_alignment.hpp"
#include "replay/trace/rank_trace.hpp"
#include "replay/trace/step_sums.hpp"

namespace mlsim::replay {

struct RecordedRank {
  RankTrace trace;
  std::vector<StepSums> sums;                // by step
  std::vector<CollectiveTimes> collectives;  // by what they are
  std::size_t typical_step = 0;              // the one of median time
};

struct RecordedRun {
  std::vector<RecordedRank> ranks;  // by rank
  std::optional<CollectiveAlignment> alignment;

  const RecordedStep& typical_step(const RecordedRank& rank) const { return rank.trace.steps[rank.typical_step]; }
};

/// Says whether the accelerator lies idle for longer than it computes or copies in the typical step: then the host
/// decides what a step takes, and kernels alone give several times too little. Waiting in collectives is neither.
bool host_bound(const RecordedRank& rank);

RecordedRun recorded_run(std::vector<RankTrace> traces);

/// Writes sums, collectives and the typical step's spans; the schema is replay/trace/recorded_run.schema.json.
std::string to_json(const RecordedRun& run);

}  // namespace mlsim::replay
