#include "kernels/cuda/operations/norm_operations.hpp"

#include "kernels/cuda/framework/cuda_executor.cuh"
#include "kernels/cuda/operations/cuda_operation.hpp"

namespace mlsim::kernels::cuda {

std::optional<CudaOperation> cuda_norm(const OperationName& name) { return norm_operation<CudaExecutor>(name); }

}  // namespace mlsim::kernels::cuda
