// run_graphs() runs recorded graphs anew: the same work in the same orders, with other times.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "core/units.hpp"
#include "replay/graph/recorded_graph.hpp"
#include "replay/trace/recorded_run.hpp"

namespace mlsim::replay {

/// RankGroups say which ranks of a job run a collective together, where a trace says their number alone.
class RankGroups {
 public:
  /// The job has `ranks`; `node` of them share a node (0: not known). `sizes` are those of all of its groups.
  RankGroups(int ranks, int node, std::set<int> sizes);

  int ranks() const { return ranks_; }
  /// Says whether groups of `size` make up the job; a size of 0 is not known.
  bool divides(int size) const { return size <= 0 || size > ranks_ || ranks_ % size == 0; }
  /// Returns the ranks in a recorded group of `size`; one without a size, or that does not divide them, is of all
  /// ranks.
  int group_size(int size) const;
  /// Returns ranks that follow one another, but for groups that lie across those of whole nodes: where a job of 16 has
  /// groups of 8 and of 2 on nodes of 8, those of 2 join nodes.
  std::vector<int> members(int rank, int size) const;
  /// Returns all groups of that size.
  std::vector<std::vector<int>> all(int size) const;

 private:
  bool across(int size) const;

  int ranks_, node_;
  std::set<int> sizes_;
};

/// Returns the ranks of the job: what a file says, else its largest group, but no fewer than there are files.
int job_ranks(const RecordedRun& run);

/// Returns the sizes of the groups that the job's collectives name.
std::set<int> group_sizes(const RecordedRun& run);

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
