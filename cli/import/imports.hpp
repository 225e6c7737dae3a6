// `mlsim import` reads what other programs recorded: execution traces of Chakra, logs of MLPerf and of Slurm.
#pragma once

#include <string>
#include <vector>

#include "cli/namespace.hpp"

namespace mlsim::cli {

/// `mlsim import chakra` simulates the execution traces of a run's ranks on a machine.
struct ChakraImport {
  std::vector<std::string> files;  // the prefix, and a file of process groups where it is not PREFIX.groups.json
  std::string topology, sum_memory, output, links;
  std::vector<std::string> settings;
};

/// Shows the step on the topology, and writes it as JSON where `output` names a file. Throws InputError where an option
/// is missing or wrong, or the files are no run's.
int import_chakra(const ChakraImport& import);

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
