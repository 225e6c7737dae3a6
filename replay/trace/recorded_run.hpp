// A RecordedRun is all ranks of a recorded run, and what it says in sum.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "replay/trace/rank_trace.hpp"

namespace mlsim::replay {

/// Collectives are aligned between all ranks: who came last, and how long they took from then on.
struct AlignedCollective {
  RecordedCollective what;
  std::size_t step = 0;
  Seconds time;    // from the last rank's begin to the last rank's end: what it takes without waiting
  Seconds waited;  // of the first rank to come, for the last
  int last_rank = 0;
};

struct CollectiveAlignment {
  std::vector<Seconds> offsets;  // to add to each rank's times, so that all stand on the first rank's clock
  Seconds disagreement;          // half of the collectives end on all ranks within this, offsets added
  std::vector<AlignedCollective> collectives;
};

/// A collective ends on all of its ranks at once, which tells how far their clocks stand apart. `traces` stand by rank.
/// Collectives whose groups have several names are left out where others are there. Returns nothing where there is one
/// rank alone, or the ranks did not record the same collectives in the same order.
std::optional<CollectiveAlignment> aligned_collectives(const std::vector<RankTrace>& traces);

/// StepSums say what a recorded step's time went to. These are times in which something of its kind ran on any stream,
/// each moment counted once.
struct StepSums {
  Seconds compute, collective, copy;
  Seconds exposed;     // collectives beside which nothing is computed
  Seconds overlapped;  // collectives beside which something is
  Seconds busy;        // anything at all
  Seconds idle;        // the rest of the step
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

struct RecordedRank {
  RankTrace trace;
  std::vector<StepSums> sums;                // by step
  std::vector<CollectiveTimes> collectives;  // by what they are
  std::size_t typical_step = 0;              // of median time, the lower of two; not the first of several
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

/// Returns what the ranks' traces warn of, each once, with the number of ranks where it is not all of them.
std::vector<std::string> run_warnings(const RecordedRun& run);

/// Writes sums, collectives and the typical step's spans; the schema is replay/trace/recorded_run.schema.json.
std::string to_json(const RecordedRun& run);

}  // namespace mlsim::replay
