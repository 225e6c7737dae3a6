// Comparable runs are published runs of a job's workload on systems of about its size, with what mlsim says of them.
#pragma once

#include <cstddef>
#include <vector>

#include "core/result/prediction.hpp"
#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::studies {

/// Finds the published checks of the answer's workload that state its time to target (without one: its throughput),
/// those on the most similar count of accelerators first, at most `most`. Each is predicted without its own value, as
/// `validate` does, and left out where it is refused.
std::vector<validation::CaseResult> comparable_runs(const PredictRequest& request, const Prediction& answer,
                                                    std::size_t most = 10);

}  // namespace mlsim::studies
