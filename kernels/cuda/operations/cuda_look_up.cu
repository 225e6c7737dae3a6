#include "kernels/cuda/operations/look_up_operations.hpp"

#include "kernels/cuda/framework/cuda_executor.cuh"
#include "kernels/cuda/operations/cuda_operation.hpp"

namespace mlsim::kernels::cuda {

std::optional<CudaOperation> cuda_look_up(const OperationName& name) { return look_up_operation<CudaExecutor>(name); }

}  // namespace mlsim::kernels::cuda
