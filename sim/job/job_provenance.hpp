// job_provenance() says where the figures of a job come from.
#pragma once

#include <vector>

#include "core/result/prediction.hpp"
#include "sim/job/job_clock.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// The entries cover epochs, pauses, initialisation, clock, checkpoints, failures, preemptions and billing of `job`,
/// which job_clock made from `inputs`, for Prediction::provenance.
std::vector<ProvenanceEntry> job_provenance(const JobClockInputs& inputs, const Prediction::Job& job);

}  // namespace mlsim::sim
