// A `BenchmarkRun` is one run of a benchmark program, as every file format tells it.
#pragma once

#include <string>
#include <vector>

#include "calibrate/import/import_file.hpp"
#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// A `BenchmarkRow` is one line of a table.
struct BenchmarkRow {
  Precision precision = Precision::fp32;
  Bytes payload;  // the larger of one rank's buffers
  Seconds time;
  int repetitions = 1;
};

struct BenchmarkRun {
  std::string benchmark;  // "nccl-tests all_reduce_perf", "osu_latency"; runs of another are not the same figure
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string communicator, device;
  int nodes = 1, ranks_per_node = 1;
  std::vector<std::string> hosts;  // once each, in the order of the ranks; empty where the file lists none
  std::vector<BenchmarkRow> rows;
  std::string remark;  // for the source: version, columns taken
};

/// Reads the runs of a file, in order, as import_file reads it.
std::vector<BenchmarkRun> benchmark_runs(const std::string& path, const ImportHints& hints = {});

/// Sweeps are grouped by precision, payloads ascending. They name `path` and the hints' machine. Throws InputError
/// where no row has any bytes.
std::vector<CollectiveSweep> sweeps_of(const BenchmarkRun& run, const std::string& path, const ImportHints& hints);

/// Each launch gives one time; the point's median and quartiles are those of the launches.
CollectivePoint point_of(Bytes payload, std::vector<Seconds> launches, int repetitions);

}  // namespace mlsim::calibrate
