// A `CudaOperation` is one of our own operations on the GPU, timed and checked.
#pragma once

#include <memory>
#include <optional>

#include "kernels/cuda/framework/device.hpp"
#include "kernels/cuda/framework/operation.hpp"

namespace mlsim::kernels::cuda {

/// The executor is defined in cuda_executor.cuh.
class CudaExecutor;
using CudaOperation = Operation<CudaExecutor>;

/// Each family of operations has one, compiled in a file of its own; none where the name is of another family.
std::optional<CudaOperation> cuda_pointwise(const OperationName& name);
std::optional<CudaOperation> cuda_row(const OperationName& name);
std::optional<CudaOperation> cuda_norm(const OperationName& name);
std::optional<CudaOperation> cuda_look_up(const OperationName& name);
std::optional<CudaOperation> cuda_update(const OperationName& name);

/// These arrays lie in device memory, with the numbers that input_value says.
class DeviceArrays {
 public:
  explicit DeviceArrays(const std::vector<Array>& arrays);
  const Pointers& pointers() const { return pointers_; }

 private:
  std::vector<DeviceMemory> memory_;
  Pointers pointers_;
};

/// Writes array number `number`'s inputs to the device, on the stream.
void fill(void* pointer, const Array& array, int number, cudaStream_t stream);
/// Returns an array's contents; waits for the stream.
std::vector<double> contents(const void* pointer, const Array& array, cudaStream_t stream);

/// Returns single elements of an array.
std::vector<double> elements_at(const void* pointer, const Array& array, const std::vector<std::int64_t>& indices,
                                cudaStream_t stream);

/// Queues the operation on arrays that lie elsewhere.
void run_operation(const CudaOperation& operation, const Pointers& pointers, cudaStream_t stream);

/// Throws std::logic_error where no family has the name.
std::unique_ptr<TimedLaunch> timed_operation(const OperationName& name);

}  // namespace mlsim::kernels::cuda
