// kernel_grid() lists kernels over a range of sizes, so that laws can be fitted beyond those of one workload.
#pragma once

#include <vector>

#include "calibrate/namespace.hpp"
#include "core/kernel/kernel_key.hpp"

namespace mlsim::calibrate {

enum class KernelDevice { cpu, cuda };

/// The grid has products over powers of two, convolutions in three passes, normalisations, losses, updates, look-ups
/// and elementwise kernels, from within a cache to far beyond it. A size takes up to about a second on one core.
std::vector<KernelKey> kernel_grid(KernelDevice device, Precision precision);

}  // namespace mlsim::calibrate
