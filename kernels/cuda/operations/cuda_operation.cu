#include "kernels/cuda/operations/cuda_operation.hpp"

#include <stdexcept>

#include "kernels/cuda/framework/cuda_executor.cuh"
#include "kernels/cuda/operations/pointwise.hpp"

namespace mlsim::kernels::cuda {
namespace {

CudaOperation operation_of(const OperationName& name) {
  for (const auto family : {cuda_pointwise, cuda_row, cuda_norm, cuda_look_up, cuda_update}) {
    if (auto operation = family(name)) return *std::move(operation);
  }
  throw std::logic_error("no operation has the name " + name.kind);
}

class TimedOperation : public TimedLaunch {
 public:
  TimedOperation(const OperationName& name, CudaOperation operation)
      : TimedLaunch(operation.bytes, operation.flop),
        name_(name),
        operation_(std::move(operation)),
        arrays_(operation_.arrays) {}

  void launch(cudaStream_t stream) override {
    CudaExecutor executor(stream);
    operation_.run(executor, arrays_.pointers());
  }

  // The check takes fewer rows where there are many, in arrays of their own, so that what is timed keeps its numbers.
  double largest_error() override {
    const OperationName less = reduced(name_);
    const CudaOperation checked = operation_of(less);
    const DeviceArrays arrays(checked.arrays);
    const cudaStream_t stream = Device::get().stream();
    CudaExecutor executor(stream);
    checked.run(executor, arrays.pointers());
    Values want;
    for (std::size_t i = 0; i < checked.arrays.size(); ++i) {
      want.push_back(input_values(checked.arrays[i], static_cast<int>(i)));
    }
    checked.reference(want);
    double error = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (!checked.arrays[i].result) continue;
      const auto got = contents(arrays.pointers().at[i], checked.arrays[i], stream);
      error = std::max(error, largest_difference(got, want[i]));
    }
    return error;
  }

 private:
  OperationName name_;
  CudaOperation operation_;
  DeviceArrays arrays_;
};

template <class T>
void fill_random(void* pointer, const Array& array, int number, CudaExecutor& executor) {
  const RandomFill<T> op{static_cast<T*>(pointer), static_cast<std::uint32_t>(number), array.low, array.high};
  executor.flat<T>(array.elements, array.elements, op);
}

template <class Whole>
void fill_whole(void* pointer, const Array& array, int number, CudaExecutor& executor) {
  const IndexFill<Whole> op{static_cast<Whole*>(pointer), static_cast<std::uint32_t>(number), array.high};
  executor.flat<float>(array.elements, 1, op);
}

}  // namespace

void fill(void* pointer, const Array& array, int number, cudaStream_t stream) {
  CudaExecutor executor(stream);
  switch (array.format) {
    case Format::fp32: return fill_random<float>(pointer, array, number, executor);
    case Format::fp16: return fill_random<Half>(pointer, array, number, executor);
    case Format::bf16: return fill_random<BFloat16>(pointer, array, number, executor);
    case Format::fp8: return fill_random<Float8>(pointer, array, number, executor);
    case Format::byte: return fill_whole<std::uint8_t>(pointer, array, number, executor);
    case Format::index: return fill_whole<std::int32_t>(pointer, array, number, executor);
    case Format::chunk:
      check(cudaMemcpyAsync(pointer, array.chunks.data(), static_cast<std::size_t>(array.bytes()),
                            cudaMemcpyHostToDevice, stream),
            "copying a table to the GPU");
      check(cudaStreamSynchronize(stream), "copying a table to the GPU");
  }
}

std::vector<double> contents(const void* pointer, const Array& array, cudaStream_t stream) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(array.bytes()));
  check(cudaMemcpyAsync(bytes.data(), pointer, bytes.size(), cudaMemcpyDeviceToHost, stream), "copying a result back");
  check(cudaStreamSynchronize(stream), "running a kernel");
  return decoded(array, bytes);
}

std::vector<double> elements_at(const void* pointer, const Array& array, const std::vector<std::int64_t>& indices,
                                cudaStream_t stream) {
  Array one = array;
  one.elements = 1;
  std::vector<double> values;
  for (const std::int64_t i : indices) {
    values.push_back(contents(static_cast<const char*>(pointer) + i * size_of(array.format), one, stream)[0]);
  }
  return values;
}

DeviceArrays::DeviceArrays(const std::vector<Array>& arrays) {
  const cudaStream_t stream = Device::get().stream();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    memory_.emplace_back(static_cast<std::size_t>(arrays[i].bytes()));
    pointers_.at.push_back(memory_.back().get());
    fill(memory_.back().get(), arrays[i], static_cast<int>(i), stream);
  }
  check(cudaStreamSynchronize(stream), "filling arrays");
}

void run_operation(const CudaOperation& operation, const Pointers& pointers, cudaStream_t stream) {
  CudaExecutor executor(stream);
  operation.run(executor, pointers);
}

std::unique_ptr<TimedLaunch> timed_operation(const OperationName& name) {
  return std::make_unique<TimedOperation>(name, operation_of(name));
}

}  // namespace mlsim::kernels::cuda
