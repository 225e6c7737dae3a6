// timed_product() times matrix products by cuBLASLt.
#pragma once

#include <memory>

#include "kernels/cuda/framework/device.hpp"
#include "kernels/cuda/operations/product_layout.hpp"

namespace mlsim::kernels::cuda {

/// Runs the fastest of the algorithms that the library's heuristics offer. Where it is not `fused`, kernels of our own
/// run the epilogue behind the product. Throws Unavailable where this GPU or the library has no such product.
std::unique_ptr<TimedLaunch> timed_product(const ProductLayout& shape, bool fused = true);

}  // namespace mlsim::kernels::cuda
