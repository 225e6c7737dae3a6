#include "kernels/cuda/pointwise_operations.hpp"

#include "kernels/cuda/cuda_executor.cuh"
#include "kernels/cuda/cuda_operation.hpp"

namespace mlsim::cuda {

std::optional<CudaOperation> cuda_pointwise(const OperationName& name) {
  return pointwise_operation<CudaExecutor>(name);
}

}  // namespace mlsim::cuda
