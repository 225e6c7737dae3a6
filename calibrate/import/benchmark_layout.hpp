// A `BenchmarkLayout` says how the ranks of a run were spread over nodes, from what its header lists.
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
};

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

}  // namespace mlsim::calibrate
