// A `TraceValidation` sets a recorded step against the same step replayed: by its own times, and with its collectives
// on a system.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "core/units.hpp"
#include "replay/graph/replayed_run.hpp"
#include "replay/namespace.hpp"
#include "replay/pipeline/replayed_pipeline.hpp"
#include "replay/validation/collective_price.hpp"
#include "replay/validation/trace_what_if.hpp"
#include "sim/options/options.hpp"

namespace mlsim::replay {

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
  std::optional<WhatIfStep> what_if{};
  std::vector<ReplayedStep> pipeline{};  // of a pipeline's operations, which have no ranks and collectives
  std::vector<std::string> warnings{};

  /// These errors are signed, of the rank or step that is furthest off.
  double own_error() const;
  double simulated_error() const;
  /// Counts judged collectives beyond the bound.
  std::size_t collectives_missed() const;
};

/// Throws InputError where the ranks did not record the same collectives or one's group is larger than the job, and as
/// build_cluster(), what_if_step() and predict() do.
TraceValidation validate_trace(const RecordedRun& run, const TraceQuestion& question);

/// Replays all steps of a pipeline's operations by 1F1B.
TraceValidation validate_pipeline(const PipelineRecord& record, double bound);

/// The status is 0 where the step, simulated where it is, and every judged collective keep the bound, 1 otherwise.
int exit_status(const TraceValidation& validation);

/// The schema is replay/validation/trace_validation.schema.json.
std::string to_json(const TraceValidation& validation);

}  // namespace mlsim::replay
