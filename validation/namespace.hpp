// The names of the folders below are validation's own vocabulary: they need no qualification here.
#pragma once

namespace mlsim::costs {}
namespace mlsim::sim {}
namespace mlsim::topologies {}
namespace mlsim::workloads {}

namespace mlsim::validation {
using namespace costs;
using namespace sim;
using namespace topologies;
using namespace workloads;
}  // namespace mlsim::validation
