// A record is a published run of a candidate's system, size and workload to the candidate's target: what was done is
// possible, whatever mlsim says of it.
#pragma once

#include <vector>

#include "studies/namespace.hpp"
#include "studies/plan/plan_candidate.hpp"

namespace mlsim::studies {

/// Gives each candidate the quickest of the published runs on as many accelerators of its machine, if there is one.
void add_records(std::vector<PlanCandidate>& candidates);

}  // namespace mlsim::studies
