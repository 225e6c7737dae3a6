#include "kernels/cuda/operations/pointwise_operations.hpp"

#include "kernels/cuda/framework/cuda_executor.cuh"
#include "kernels/cuda/operations/cuda_operation.hpp"

namespace mlsim::kernels::cuda {

std::optional<CudaOperation> cuda_pointwise(const OperationName& name) {
  return pointwise_operation<CudaExecutor>(name);
}

}  // namespace mlsim::kernels::cuda
