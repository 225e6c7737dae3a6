// operations_of() says which of our own operations stand for a kernel of a step graph.
#pragma once

#include <vector>

#include "core/kernel/kernel_key.hpp"
#include "kernels/cuda/framework/operation.hpp"

namespace mlsim::kernels::cuda {

/// The operations run one after the other. For matrix products, convolutions, pools and batch normalisations, which
/// libraries do, they are only what merged layers move beside: a pass over as many elements, half of them written, as
/// an upper bound of what an epilogue costs. Throws Unavailable for operators that have no CUDA kernel here.
std::vector<OperationName> operations_of(const KernelKey& key);

}  // namespace mlsim::kernels::cuda
