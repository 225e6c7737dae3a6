// The points of a sweep are answered by forked processes and put into its store as they come.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "core/units.hpp"
#include "studies/sweep/store.hpp"
#include "studies/sweep/sweep_grid.hpp"

namespace mlsim::studies {

struct SweepProgress {
  std::size_t done = 0, all = 0;  // points of this shard; done before this call: those that were there
  std::size_t before = 0;
};

struct SweepOptions {
  Shard shard;
  int workers = 0;                                       // processes; 0: one for each processor
  std::optional<Seconds> time_limit;                     // of a point
  std::function<bool()> stopped = [] { return false; };  // asked now and then; true ends the sweep, its rows stay
  std::function<void(const std::string& sentence)> say;  // of a point that is asked again; may be empty
};

struct SweepOutcome {
  SweepProgress progress;
  bool interrupted = false;
  std::string failure;  // how the machine failed the first of the points that it failed; empty: none
};

/// Answers the points that the store lacks. A point that crashes, takes too long or has no answer is a row that says
/// so. Finishes the store where nothing is left. Throws InputError for a store that cannot be written, MachineFailed
/// where no process can be started.
SweepOutcome sweep(const SweepGrid& grid, const KnownFigures& known, Store& store, const SweepOptions& options);

}  // namespace mlsim::studies
