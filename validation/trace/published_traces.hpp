// Recorded steps of real runs that others published, as cases of the scoreboard.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile.hpp"
#include "core/shared_list.hpp"
#include "validation/namespace.hpp"
#include "validation/trace/trace_validation.hpp"

namespace mlsim::validation {

/// A row of validation/published/traces/index.csv; the steps lie beside it.
struct PublishedTrace {
  std::string id, what, topology, citation;  // topology: empty where the network is not told
  std::optional<TraceModel> model;           // empty where it is not in the catalogue
  int missed = 0;                            // judged collectives that are known to be beyond the bound
};

const std::vector<PublishedTrace>& published_traces();

struct PublishedTraceResult {
  PublishedTrace trace;
  TraceValidation validation;

  /// Beyond what is stated: a replayed step 3 % off, a simulated one or more collectives than known 25 % off.
  bool missed() const;
};

std::vector<PublishedTraceResult> validate_published_traces(const SharedList<Profile>& profiles);

/// 0 where none misses.
int exit_status(const std::vector<PublishedTraceResult>& results);

}  // namespace mlsim::validation
