#include "kernels/cuda/operations/row_operations.hpp"

#include "kernels/cuda/framework/cuda_executor.cuh"
#include "kernels/cuda/operations/cuda_operation.hpp"

namespace mlsim::kernels::cuda {

std::optional<CudaOperation> cuda_row(const OperationName& name) { return row_operation<CudaExecutor>(name); }

}  // namespace mlsim::kernels::cuda
