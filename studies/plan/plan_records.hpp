// A record is a published run of a candidate's system, size and workload to the candidate's target: what was done is
// possible, whatever mlsim says of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "studies/namespace.hpp"
#include "studies/plan/plan_candidate.hpp"

namespace mlsim::studies {

/// `PlanRecords` finds the published runs of candidates, and reads those of a workload once.
class PlanRecords {
 public:
  /// Returns the quickest run on as many accelerators of the candidate's machine; empty where none is published.
  std::optional<PlanRecord> of(const PlanCandidate& candidate);

 private:
  struct Run {
    std::string system, target;
    PlanRecord record;
  };
  static std::vector<Run> runs_of(const std::string& workload);

  std::map<std::string, std::vector<Run>> known_;  // by workload
};

}  // namespace mlsim::studies
