// A `TraceWhatIf` is what a recorded step would take if something about it were otherwise.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/kernel/precision.hpp"
#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "core/units.hpp"
#include "replay/graph/replayed_run.hpp"
#include "replay/namespace.hpp"
#include "replay/validation/collective_price.hpp"

namespace mlsim::replay {

/// A `TraceModel` is the model that was trained, for what laws of kernels say of it.
struct TraceModel {
  std::string workload;
  std::optional<Precision> precision;
  double batch = 0;                     // samples of a rank, as recorded
  std::optional<double> other_batch{};  // asked for in its place
};

struct TraceWhatIf {
  int ranks = 0;                    // of the job; 0: as recorded
  std::string topology;             // of the job; empty: the one that it was recorded on
  std::map<int, double> slowdowns;  // of the kernels of ranks
  double compute = 1;               // of all kernels' times

  bool any() const { return ranks > 0 || !topology.empty() || !slowdowns.empty() || compute != 1; }
};

/// The step is that of the first recorded rank.
struct WhatIfStep {
  std::string text;  // "32 ranks, rank 3 at 0.5 of its speed"
  Seconds before, after;
};

/// Predicts what a step of the model takes on the job's accelerators, by laws and curves. Throws as predict() does.
Seconds predicted_step_time(const TraceModel& model, double batch, const std::string& topology, int ranks,
                            const SharedList<Profile>& profiles);

/// Gives the kernels' time at the other batch over that at the recorded one, on one accelerator by laws and curves: a
/// batch has parts that do not shrink with it.
double compute_ratio(const TraceModel& model, const std::string& topology, const SharedList<Profile>& profiles);

/// `simulated` says what collectives take without the change. Throws Infeasible where the recorded step is bound by the
/// host, and InputError where there is no such rank, where several ranks are recorded and another number is asked for,
/// and where the other topology has other accelerators.
WhatIfStep what_if_step(const RecordedRun& run, const Replay& replay, const TraceWhatIf& asked,
                        const std::string& topology, const Options& options, const SharedList<Profile>& profiles);

}  // namespace mlsim::replay
