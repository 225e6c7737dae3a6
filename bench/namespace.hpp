// bench uses the names of the folders below unqualified, as its own vocabulary.
#pragma once

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
}  // namespace mlsim::bench
