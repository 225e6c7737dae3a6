// nccl_tests_json_run() reads the JSON that nccl-tests writes with -J (versions 2.17 on).
#pragma once

#include "calibrate/import/benchmark_run.hpp"
#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// Throws InputError with `path` and the line or key at fault; a file that was cut off says so. Keys that are not
/// needed are passed over, as nccl-tests adds some with most versions.
BenchmarkRun nccl_tests_json_run(const std::string& path, const std::string& text, const ImportHints& hints);

}  // namespace mlsim::calibrate
