// The names of the folders below are sim's own vocabulary: they need no qualification here.
#pragma once

namespace mlsim::costs {}
namespace mlsim::topologies {}
namespace mlsim::workloads {}

namespace mlsim::sim {
using namespace costs;
using namespace topologies;
using namespace workloads;
}  // namespace mlsim::sim
