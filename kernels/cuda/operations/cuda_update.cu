#include "kernels/cuda/operations/update_operations.hpp"

#include "kernels/cuda/framework/cuda_executor.cuh"
#include "kernels/cuda/operations/cuda_operation.hpp"

namespace mlsim::kernels::cuda {

std::optional<CudaOperation> cuda_update(const OperationName& name) { return update_operation<CudaExecutor>(name); }

}  // namespace mlsim::kernels::cuda
