// A Replay runs the typical step of a recorded run with other times of its work.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "replay/graph/graph_run.hpp"
#include "replay/trace/recorded_run.hpp"

namespace mlsim::replay {

/// A ReplayChange says how a replay differs from what was recorded.
struct ReplayChange {
  /// Returns a collective's time once its ranks are there, in place of the recorded one; nothing leaves it as it is.
  std::function<std::optional<Seconds>(const RecordedCollective&)> collective;
  double compute = 1;               // of all kernels' times
  std::map<int, double> slowdowns;  // of the kernels of ranks of the job, which need not be recorded, beside `compute`
};

/// A RecordedTime splits a collective as it was recorded.
struct RecordedTime {
  Seconds of_itself;  // once its ranks are there
  Seconds waiting;    // for ranks that are not recorded: what it took beyond that
};

class Replay {
 public:
  /// The run must outlive the replay. Throws InputError where several ranks did not record the same collectives in the
  /// same order. `node` ranks of the job share a node, 0 where that is not known.
  explicit Replay(const RecordedRun& run, int node = 0);

  /// Returns which step of each rank is replayed: one that all have.
  std::size_t step() const { return step_; }
  const RankGroups& groups() const { return groups_; }
  /// Returns what the step took; a single step of several ranks counts from the host's begin to the last work's end.
  Seconds recorded_step(std::size_t rank) const;
  /// Returns the time of a span of that rank's trace in the step. A collective takes of itself what passes from the
  /// last rank's begin to the last one's end; where not all of its ranks are recorded, no more than the least of those
  /// alike.
  RecordedTime recorded_time(std::size_t rank, const RecordedSpan& span) const;
  /// Returns the waiting of that rank's work that nothing recorded explains, which every replay keeps.
  Seconds unexplained(std::size_t rank) const;
  /// The result has sums and steps as a recorded run of one step has.
  RecordedRun replayed(const ReplayChange& change = {}) const;

 private:
  const RecordedRun& run_;
  std::size_t step_;
  RankGroups groups_;
  void find_times();
  std::vector<GraphedRank> ranks_with(const ReplayChange& change) const;

  std::vector<RecordedGraph> graphs_;
  std::vector<Seconds> begins_;                   // of each rank's step, on one clock
  std::vector<std::vector<RecordedTime>> times_;  // by rank and span
};

}  // namespace mlsim::replay
