// This page says how often a cluster's machines fail or are taken away, and what `mlsim predict` takes of it.
#pragma once

#include <string>

#include "interop/logs/slurm_jobs.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

Page slurm_page(const SlurmJobs& jobs);

}  // namespace mlsim::reports
