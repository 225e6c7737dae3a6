// These readers take the tables that benchmarks of collectives print: nccl-tests and the OSU micro-benchmarks.
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

/// osu_text_runs() reads tables of the OSU micro-benchmarks (3 to 7): latencies in us, bandwidths in MB/s (1e6 bytes).
bool is_osu_text(const LinedText& text);

/// Reads the runs of a file, in order. A latency is half of a round trip (osu_latency), or the mean over iterations of
/// the slowest rank where the file has it (-f), else of all ranks. The time of osu_bw is size over bandwidth, of a
/// window of messages in flight. The payload of osu_allgather and osu_alltoall is their size (what one rank sends one
/// other) times the ranks. Throws InputError with file and line.
std::vector<BenchmarkRun> osu_text_runs(const LinedText& text, const ImportHints& hints);

}  // namespace mlsim::calibrate
