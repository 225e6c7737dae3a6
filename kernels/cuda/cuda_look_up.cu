#include "kernels/cuda/look_up_operations.hpp"

#include "kernels/cuda/cuda_executor.cuh"
#include "kernels/cuda/cuda_operation.hpp"

namespace mlsim::cuda {

std::optional<CudaOperation> cuda_look_up(const OperationName& name) { return look_up_operation<CudaExecutor>(name); }

}  // namespace mlsim::cuda
