#include "kernels/cuda/row_operations.hpp"

#include "kernels/cuda/cuda_executor.cuh"
#include "kernels/cuda/cuda_operation.hpp"

namespace mlsim::cuda {

std::optional<CudaOperation> cuda_row(const OperationName& name) { return row_operation<CudaExecutor>(name); }

}  // namespace mlsim::cuda
