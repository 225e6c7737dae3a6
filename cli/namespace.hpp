// cli uses the names of the folders below unqualified, as its own vocabulary.
#pragma once

namespace mlsim::calibrate {}
namespace mlsim::costs {}
namespace mlsim::kernels {}
namespace mlsim::replay {}
namespace mlsim::reports {}
namespace mlsim::sim {}
namespace mlsim::studies {}
namespace mlsim::topologies {}
namespace mlsim::validation {}
namespace mlsim::workloads {}

namespace mlsim::cli {
using namespace calibrate;
using namespace costs;
using namespace kernels;
using namespace replay;
using namespace reports;
using namespace sim;
using namespace studies;
using namespace topologies;
using namespace validation;
using namespace workloads;
}  // namespace mlsim::cli
