// RankGroups say which ranks of a job run a collective together, where a trace says their number alone.
#pragma once

#include <set>
#include <vector>

#include "replay/trace/recorded_run.hpp"

namespace mlsim::replay {

class RankGroups {
 public:
  /// The job has `ranks`; `node` of them share a node (0: not known). `sizes` are those of all of its groups.
  RankGroups(int ranks, int node, std::set<int> sizes);

  int ranks() const { return ranks_; }
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

}  // namespace mlsim::replay
