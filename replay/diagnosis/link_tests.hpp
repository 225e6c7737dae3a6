// Link tests time the same collective on several sets of hosts: which host or link is slower than its like.
#pragma once

#include <string>
#include <vector>

#include "calibrate/import/benchmark_run.hpp"
#include "replay/diagnosis/diagnosis.hpp"

namespace mlsim::replay {

/// A LinkTest is one run of nccl-tests.
struct LinkTest {
  std::string file;
  calibrate::BenchmarkRun run;
};

/// Reads all runs of these files, text or JSON of nccl-tests. Throws InputError as calibrate::import_file does, where a
/// file lists no hosts, for fewer than three runs, and where they differ in collective, type or number of ranks.
std::vector<LinkTest> load_link_tests(const std::vector<std::string>& paths);

/// Finds slow hosts and slow links between them, by the payloads of 1 MiB and more that all runs have; by all of them
/// where they are smaller. Throws InputError where the runs have no payload in common.
Diagnosis diagnosis(const std::vector<LinkTest>& tests);

}  // namespace mlsim::replay
