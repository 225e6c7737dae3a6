#include "kernels/cuda/update_operations.hpp"

#include "kernels/cuda/cuda_executor.cuh"
#include "kernels/cuda/cuda_operation.hpp"

namespace mlsim::cuda {

std::optional<CudaOperation> cuda_update(const OperationName& name) { return update_operation<CudaExecutor>(name); }

}  // namespace mlsim::cuda
