// run_graphs() runs recorded graphs anew: the same work in the same orders, with other times.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/units.hpp"
#include "replay/graph/rank_groups.hpp"
#include "replay/graph/recorded_graph.hpp"

namespace mlsim::replay {

/// A GraphedRank is a rank of the job that is run.
struct GraphedRank {
  const RankTrace* trace = nullptr;
  const RecordedGraph* graph = nullptr;
  int rank = 0;   // in the job
  Seconds begin;  // of its first step, on a clock that all share
};

/// Returns what a piece of work of this rank takes; a collective counts from the arrival of the last of its ranks.
using SpanTime = std::function<Seconds(std::size_t rank, const RecordedSpan& span)>;

/// Runs the step so often in a row, with the host always as far ahead of the accelerator as its own work lets it. All
/// ranks of a collective that are run begin it together, when the last of them arrives. Returns each rank's last step,
/// its time the distance between the ends of the last two; of one step alone, from its begin to its end. Throws
/// InputError where ranks wait for each other in different collectives.
std::vector<RankTrace> run_graphs(const std::vector<GraphedRank>& ranks, const RankGroups& groups, const SpanTime& time,
                                  int repeats);

}  // namespace mlsim::replay
