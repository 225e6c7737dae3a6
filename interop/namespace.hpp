// The names of the folders below are interop's own vocabulary: they need no qualification here.
#pragma once

namespace mlsim::topologies {}
namespace mlsim::workloads {}
namespace mlsim::sim {}

namespace mlsim::interop {
using namespace topologies;
using namespace workloads;
using namespace sim;
}  // namespace mlsim::interop
