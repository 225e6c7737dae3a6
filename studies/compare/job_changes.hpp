// What more of each resource, and twice the accelerators, do to the whole job: its time to the target and its bill.
#pragma once

#include <vector>

#include "core/result/explanation.hpp"
#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

/// `explanation` is explain()'s of `request`. Resources that change the job by less than a thousandth are left out.
/// Empty where the job has no target.
std::vector<JobChange> job_changes(const PredictRequest& request, const Explanation& explanation);

}  // namespace mlsim::studies
