// The logs of other programs are read by `mlsim import mllog` and `mlsim import sacct`: runs of MLPerf, and how
// machines failed.
#pragma once

#include <string>
#include <vector>

#include "cli/namespace.hpp"

namespace mlsim::cli {

struct MlperfImport {
  std::vector<std::string> files;
  std::string topology, workload, output;
  int accelerators = 0;  // 0: all that the topology names
};

/// Writes the runs of MLPerf's logs as a table of cases. Throws InputError where an option is missing or a
/// file is none.
int import_mlperf_logs(const MlperfImport& import);

/// Shows the rates of failures and preemptions in what sacct printed. Throws InputError where it is none.
int import_slurm_jobs(const std::vector<std::string>& files);

}  // namespace mlsim::cli
