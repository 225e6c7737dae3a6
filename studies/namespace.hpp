// The names of the folders below are the vocabulary of studies: they need no qualification here.
#pragma once

namespace mlsim::sim {}
namespace mlsim::topologies {}
namespace mlsim::validation {}
namespace mlsim::workloads {}

namespace mlsim::studies {
using namespace sim;
using namespace topologies;
using namespace validation;
using namespace workloads;
}  // namespace mlsim::studies
