// A `BenchRow` is one row of the benchmark's table; `row_sources` lists the functions that make rows.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace mlsim::calibrate {}
namespace mlsim::sim {}
namespace mlsim::topologies {}
namespace mlsim::validation {}
namespace mlsim::workloads {}

namespace mlsim::bench {
using namespace calibrate;
using namespace sim;
using namespace topologies;
using namespace validation;
using namespace workloads;

struct BenchRow {
  std::string name;    // "all-reduce 100 MiB"
  std::string system;  // "torus32x32"
  int ranks = 1;
  std::string fidelity;
  std::string skipped;  // why it is not run; empty: run it
  std::function<std::string()> work;
};

std::vector<BenchRow> collective_rows();
std::vector<BenchRow> step_rows();
std::vector<BenchRow> technique_rows();
std::vector<BenchRow> catalogue_rows();

/// Add a function here to add rows.
inline const std::vector<std::vector<BenchRow> (*)()> row_sources{collective_rows, step_rows, technique_rows,
                                                                  catalogue_rows};

}  // namespace mlsim::bench
