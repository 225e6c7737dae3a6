// aligned_collectives() joins the collectives of all ranks: who came last, and how long they took from then on.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "replay/trace/rank_trace.hpp"

namespace mlsim::replay {

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
/// Returns nothing where there is one rank alone, or the ranks did not record the same collectives in the same order.
std::optional<CollectiveAlignment> aligned_collectives(const std::vector<RankTrace>& traces);

}  // namespace mlsim::replay
