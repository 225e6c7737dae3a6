#include "kernels/cuda/norm_operations.hpp"

#include "kernels/cuda/cuda_executor.cuh"
#include "kernels/cuda/cuda_operation.hpp"

namespace mlsim::cuda {

std::optional<CudaOperation> cuda_norm(const OperationName& name) { return norm_operation<CudaExecutor>(name); }

}  // namespace mlsim::cuda
