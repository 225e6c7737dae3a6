// The names of the folders below are replay's own vocabulary: they need no qualification here.
#pragma once

namespace mlsim::sim {}
namespace mlsim::topologies {}
namespace mlsim::workloads {}

namespace mlsim::replay {
using namespace sim;
using namespace topologies;
using namespace workloads;
}  // namespace mlsim::replay
