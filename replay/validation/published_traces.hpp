// Published traces are recorded steps of real runs that others published, as cases of the scoreboard.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "replay/namespace.hpp"
#include "replay/pipeline/replayed_pipeline.hpp"
#include "replay/validation/trace_validation.hpp"

namespace mlsim::replay {

/// A trace is a row of validation/published/traces/index.csv; its steps lie beside that.
struct PublishedTrace {
  std::string id, what, topology, citation;  // topology: empty where the network is not told
  std::optional<TraceModel> model;           // empty where it is not in the catalogue
  int missed = 0;                            // judged collectives that are known to be beyond the bound
};

const std::vector<PublishedTrace>& published_traces();

struct PublishedTraceResult {
  PublishedTrace trace;
  TraceValidation validation;

  /// A trace misses what is stated by a replayed step 3 % off, a simulated one or more collectives than known 25 % off.
  bool missed() const;
};

struct PublishedTraceResults {
  std::vector<PublishedTraceResult> traces;
  std::vector<ReplayedStep> pipelines;  // of jobs whose operations alone are recorded
};

PublishedTraceResults validate_published_traces(const SharedList<Profile>& profiles);

/// The status is 0 where no trace misses and no step of a pipeline is more than 2 % off.
int exit_status(const PublishedTraceResults& results);

}  // namespace mlsim::replay
