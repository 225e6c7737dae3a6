// EtRanks are the Chakra execution traces of all ranks of a run, checked against one another.
#pragma once

#include <string>
#include <vector>

#include "interop/chakra/execution_trace.hpp"
#include "interop/chakra/step_export.hpp"
#include "interop/namespace.hpp"

namespace mlsim::interop {

struct EtRanks {
  std::vector<std::string> files;     // by rank
  std::vector<ExecutionTrace> ranks;  // nodes by id; what they wait for is there
  EtGroups groups;
  std::vector<std::string> warnings;

  /// Returns the ranks of a node's group.
  std::vector<int> group_of(const EtNode& node) const;
};

/// Reads PREFIX.0.et, PREFIX.1.et, ..., and the process groups from `groups`, or, where that is empty, from
/// PREFIX.groups.json where it is there. Nodes that others wait for and no file has are left out, with a warning.
/// Throws InputError with the file and the reason where ranks are missing or twice, nodes wait for each other in a
/// circle, share an id or exchange what cannot be simulated, or a group is not there.
EtRanks load_et_ranks(const std::string& prefix, const std::string& groups);

}  // namespace mlsim::interop
