// A `BenchmarkRun` is one run of a benchmark program, as every file format tells it.
#pragma once

#include <string>
#include <vector>

#include "calibrate/import/import_file.hpp"
#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

/// A `ListedRank` is one "#  Rank  0 Group  0 Pid   1234 on   hostA device  0 ..." of nccl-tests.
struct ListedRank {
  int rank = 0, group = 0;
  std::string host;
  std::string device;  // "NVIDIA A100-SXM4-40GB"; may be empty
};

/// A `BenchmarkLayout` says how the ranks of a run were spread over nodes, from what its header lists.
struct BenchmarkLayout {
  int nodes = 0, ranks_per_node = 0;
  int ranks() const { return nodes * ranks_per_node; }
};

/// Lists each host once, in the order of the list.
std::vector<std::string> hosts_of(const std::vector<ListedRank>& listed);

/// Returns the layout of ranks with their hosts; `ranks_each` is more than 1 where the list names only the first of so
/// many a process. Hints win where the number of ranks is the same, and tell all where the list is empty. Throws
/// InputError with `place` where ranks are listed twice, in several groups or unevenly, where hints contradict, or say
/// too little, or where there is one rank.
BenchmarkLayout layout_of(const std::vector<ListedRank>& listed, int ranks_each, const ImportHints& hints,
                          const std::string& place);

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
  std::string hardware;            // what the file calls the first rank's device; may be empty
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
