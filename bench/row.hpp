// A row of the benchmark's table, and where rows come from.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace mlsim::bench {

struct Row {
  std::string name;    // "all-reduce 100 MiB"
  std::string system;  // "torus32x32"
  int ranks = 1;
  std::string fidelity;
  std::string skipped;  // why it is not run; empty: run it
  std::function<std::string()> work;
};

std::vector<Row> collective_rows();
std::vector<Row> step_rows();
std::vector<Row> technique_rows();
std::vector<Row> catalogue_rows();

/// Add a function here to add rows.
inline const std::vector<std::vector<Row> (*)()> row_sources{collective_rows, step_rows, technique_rows,
                                                             catalogue_rows};

}  // namespace mlsim::bench
