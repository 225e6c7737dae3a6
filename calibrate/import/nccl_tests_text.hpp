// nccl_tests_text_runs() reads nccl-tests' table (versions 2.0 to 2.19), alone or in a log with other lines.
#pragma once

#include <vector>

#include "calibrate/import/benchmark_run.hpp"
#include "calibrate/import/lined_text.hpp"
#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// Tells whether a line has the names of nccl-tests' columns.
bool is_nccl_tests_text(const LinedText& text);

/// Reads the runs of a file, in order; a run ends with its average bus bandwidth. Throws InputError with file and line.
std::vector<BenchmarkRun> nccl_tests_text_runs(const LinedText& text, const ImportHints& hints);

}  // namespace mlsim::calibrate
