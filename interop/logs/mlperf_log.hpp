// An MlperfRun is read from MLPerf training's log: lines with ":::MLLOG", behind whatever the launcher put before them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "interop/namespace.hpp"

namespace mlsim::interop {

/// mlcommons/logging defines the keys and values (mlperf_logging/mllog/constants.py).
struct MlperfRun {
  std::string file;
  std::string benchmark, platform;  // submission_benchmark, submission_platform; may be empty
  double global_batch = 0;
  Seconds time;                      // from run_start to run_stop
  bool reached = false;              // run_stop's status: success
  std::optional<double> throughput;  // samples/s, the median of those that it tracked
};

/// A file is one run, of all ranks' lines together: the first run_start to the last run_stop. Throws InputError with
/// the file and line where a line is no JSON, nothing is logged, or the run has no begin, no end or no batch.
MlperfRun mlperf_run(const std::string& text, const std::string& file);

/// An MlperfPlace says where runs were made, which their logs do not.
struct MlperfPlace {
  std::string topology;
  int accelerators = 1;
  std::string workload;  // empty: by the benchmark
};

/// Returns a table of cases as `mlsim validate published --cases` reads it: each run's time to accuracy, where it
/// reached that, and its throughput, where it logged one. Throws InputError for a run whose workload is not known, and
/// where no run says anything.
std::string cases_csv(const std::vector<MlperfRun>& runs, const MlperfPlace& place);

}  // namespace mlsim::interop
