// How often a cluster's machines fail or are taken away, and what `mlsim predict` takes of it.
#pragma once

#include <string>

#include "interop/logs/slurm_jobs.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

std::string slurm_text(const SlurmJobs& jobs);

}  // namespace mlsim::reports
