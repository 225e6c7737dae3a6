// A `TraceValidation` sets a recorded step against the same step replayed: by its own times, and with its collectives
// on a system.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "core/units.hpp"
#include "replay/graph/replayed_run.hpp"
#include "replay/namespace.hpp"
#include "replay/pipeline/replayed_pipeline.hpp"
#include "replay/validation/collective_price.hpp"
#include "sim/options/options.hpp"

namespace mlsim::replay {

/// A `TraceModel` is the model that was trained, for what laws of kernels say of it.
struct TraceModel {
  std::string workload;
  std::optional<Precision> precision;
  double batch = 0;                     // samples of a rank, as recorded
  std::optional<double> other_batch{};  // asked for in its place
};

struct TraceWhatIf {
  std::vector<int> ranks;           // sizes of the job, each a step of its own; empty: as recorded
  std::string topology;             // of the job; empty: the one that it was recorded on
  std::map<int, double> slowdowns;  // of the kernels of ranks
  double compute = 1;               // of all kernels' times

  bool any() const { return !ranks.empty() || !topology.empty() || !slowdowns.empty() || compute != 1; }
};

/// The step is that of the first recorded rank.
struct WhatIfStep {
  std::string text;  // "32 ranks, rank 3 at 0.5 of its speed"
  int ranks = 0;     // of the job
  Seconds before, after;
};

/// Predicts what a step of the model takes on the job's accelerators, by laws and curves. Throws as predict() does.
Seconds predicted_step_time(const TraceModel& model, double batch, const std::string& topology, int ranks,
                            const SharedList<Profile>& profiles);

/// Gives the kernels' time at the other batch over that at the recorded one, on one accelerator by laws and curves: a
/// batch has parts that do not shrink with it.
double compute_ratio(const TraceModel& model, const std::string& topology, const SharedList<Profile>& profiles);

/// Gives a step for each size of the job: every rank does what the recorded one did, collectives of the whole job are of
/// all ranks, and those of smaller groups keep their size. Throws Infeasible where the recorded step is bound by the
/// host, and InputError where there is no such rank, where several ranks are recorded and another number is asked for,
/// and where the other topology has other accelerators.
std::vector<WhatIfStep> what_if_steps(const RecordedRun& run, const Replay& replay, const TraceWhatIf& asked,
                                      const std::string& topology, const Options& options,
                                      const SharedList<Profile>& profiles);

struct TraceQuestion {
  std::string topology;  // of the run; empty: collectives keep their recorded times
  int ranks = 0;         // of the job; 0: as the trace says
  Options options;       // of the exchange
  SharedList<Profile> profiles;
  double bound = 0.25;  // of |simulated / recorded - 1|
  std::optional<TraceModel> model;
  TraceWhatIf what_if;
};

struct SplitStep {
  Seconds time;
  StepSums sums;
};

struct RankReplay {
  int rank = 0;
  bool host_bound = false;
  SplitStep recorded, own;             // own: by the recorded times of everything
  std::optional<SplitStep> simulated;  // with its collectives on the system
  Seconds waiting;                     // of collectives for ranks that are not recorded, kept in both
  Seconds unexplained;                 // waiting that nothing recorded explains, kept in both
};

/// A `CollectiveReplay` is of collectives that are alike.
struct CollectiveReplay {
  RecordedCollective what;
  std::size_t count = 0;
  Seconds least;  // recorded, of the collective itself
  std::optional<CollectivePrice> simulated;
  bool judged = false;  // of at least 1 MB, of one size on all ranks, and with a price

  double error() const { return simulated->time / least - 1; }
};

struct TraceValidation {
  std::string topology;
  double bound = 0;
  std::vector<RankReplay> ranks;
  std::vector<CollectiveReplay> collectives;
  std::optional<Seconds> by_laws{};  // what a prediction of the model says of the step
  std::vector<WhatIfStep> what_if{};
  std::vector<ReplayedStep> pipeline{};  // of a pipeline's operations, which have no ranks and collectives
  std::vector<std::string> warnings{};

  /// These errors are signed, of the rank or step that is furthest off.
  double own_error() const;
  double simulated_error() const;
  /// Counts judged collectives beyond the bound.
  std::size_t collectives_missed() const;
};

/// Throws InputError where the ranks did not record the same collectives or one's group is larger than the job, and as
/// build_cluster(), what_if_steps() and predict() do.
TraceValidation validate_trace(const RecordedRun& run, const TraceQuestion& question);

/// Replays all steps of a pipeline's operations by 1F1B.
TraceValidation validate_pipeline(const PipelineRecord& record, double bound);

/// The status is 0 where the step, simulated where it is, and every judged collective keep the bound, 1 otherwise.
int exit_status(const TraceValidation& validation);

/// The schema is replay/validation/trace_validation.schema.json.
std::string to_json(const TraceValidation& validation);

}  // namespace mlsim::replay
