// The published run nearest to a question is found here, and predicted without having been seen.
#pragma once

#include <optional>
#include <string>

#include "core/result/prediction.hpp"
#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

/// Finds the nearest of the published cases of the same network that state a throughput, a step time or a time to
/// target: the same workload first, then the same accelerator, precision, a stack that was named, nearest in doublings
/// of accelerators, then of the batch per accelerator, with a time before a rate where `answer` has a time to target,
/// then the same machine and the stack in use. Beside it stands what is said of it unseen (unseen_runs()). Empty where
/// no run of the network is published.
std::optional<PublishedRun> nearest_published_run(const PredictRequest& request, const Prediction& answer);

/// Sets that run beside an answer that is no collective's. Where it was made on this very system and lies outside the
/// answer's range, a warning says so, and in what it was another question.
void add_published_run(Prediction& answer, const PredictRequest& request);

}  // namespace mlsim::studies
