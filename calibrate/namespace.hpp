// The names of the folders below are calibrate's own vocabulary: they need no qualification here.
#pragma once

namespace mlsim::costs {}
namespace mlsim::kernels {}
namespace mlsim::workloads {}

namespace mlsim::calibrate {
using namespace costs;
using namespace kernels;
using namespace workloads;
}  // namespace mlsim::calibrate
