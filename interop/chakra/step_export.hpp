// A step export is a simulated step as Chakra execution traces, one a rank, as ASTRA-sim reads them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "interop/chakra/execution_trace.hpp"
#include "interop/namespace.hpp"
#include "sim/costed_step/costed_step.hpp"

namespace mlsim::interop {

/// Process groups stand by pg_name, the ranks of each in their order. The group of all ranks, "", is not among them.
using EtGroups = std::map<std::string, std::vector<int>>;

/// Chakra counts whole microseconds. Each length is rounded so that a stream's sum stays within half of one.
struct EtRounding {
  std::uint64_t empty = 0;  // kernels of the first rank that became 0 us long; their time is in their neighbours'
  Seconds most;             // by which the sum of a rank's kernels or host work is off
};

struct EtExport {
  std::vector<ExecutionTrace> ranks;
  EtGroups groups;
  EtRounding rounding;
};

/// A node's id is the same on all ranks that run it, and ids ascend in the order of each stream: ASTRA-sim starts what
/// is ready in the order of ids. A communication stream has groups of its own, since collectives of one group run one
/// after the other. Throws Infeasible where the step exchanges what Chakra has no kind for (halos, parameter servers).
EtExport exported_step(const CostedStep& step);

/// Writes {"1": [0, 1], "2": [2, 3]}, which ASTRA-sim takes as --comm-group-configuration.
std::string groups_json(const EtGroups& groups);

}  // namespace mlsim::interop
