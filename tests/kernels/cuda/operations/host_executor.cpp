#include "tests/kernels/cuda/operations/host_executor.hpp"

#include <algorithm>
#include <stdexcept>

#include "kernels/cuda/operations/look_up_operations.hpp"
#include "kernels/cuda/operations/norm_operations.hpp"
#include "kernels/cuda/operations/pointwise_operations.hpp"
#include "kernels/cuda/operations/row_operations.hpp"
#include "kernels/cuda/operations/update_operations.hpp"

namespace mlsim::kernels::cuda {
namespace {

template <class T>
void fill(std::vector<std::uint8_t>& bytes, const Array& array, int number) {
  for (std::int64_t i = 0; i < array.elements; ++i) {
    const T element = from_float<T>(static_cast<float>(input_value(array, number, i)));
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &element, sizeof(T));
  }
}

void fill_indices(std::vector<std::uint8_t>& bytes, const Array& array, int number) {
  for (std::int64_t i = 0; i < array.elements; ++i) {
    const auto element = static_cast<std::int32_t>(input_value(array, number, i));
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof element, &element, sizeof element);
  }
}

Operation<HostExecutor> host_operation(const OperationName& name) {
  if (auto op = pointwise_operation<HostExecutor>(name)) return *op;
  if (auto op = row_operation<HostExecutor>(name)) return *op;
  if (auto op = norm_operation<HostExecutor>(name)) return *op;
  if (auto op = look_up_operation<HostExecutor>(name)) return *op;
  if (auto op = update_operation<HostExecutor>(name)) return *op;
  throw std::logic_error("no such operation: " + name.kind);
}

}  // namespace

HostArrays::HostArrays(const std::vector<Array>& arrays) : arrays_(arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const int number = static_cast<int>(i);
    auto& bytes = bytes_.emplace_back(static_cast<std::size_t>(arrays[i].bytes()));
    switch (arrays[i].format) {
      case Format::fp32: fill<float>(bytes, arrays[i], number); break;
      case Format::fp16: fill<Half>(bytes, arrays[i], number); break;
      case Format::bf16: fill<BFloat16>(bytes, arrays[i], number); break;
      case Format::fp8: fill<Float8>(bytes, arrays[i], number); break;
      case Format::byte: fill<std::uint8_t>(bytes, arrays[i], number); break;
      case Format::index: fill_indices(bytes, arrays[i], number); break;
      case Format::chunk: std::memcpy(bytes.data(), arrays[i].chunks.data(), bytes.size()); break;
    }
  }
}

Pointers HostArrays::pointers() {
  Pointers pointers;
  for (auto& bytes : bytes_) pointers.at.push_back(bytes.data());
  return pointers;
}

std::vector<double> HostArrays::values(int number) const { return decoded(arrays_[number], bytes_[number]); }

double host_error(const OperationName& name) {
  const auto operation = host_operation(name);
  HostArrays arrays(operation.arrays);
  HostExecutor executor;
  operation.run(executor, arrays.pointers());
  Values values;
  for (std::size_t i = 0; i < operation.arrays.size(); ++i) {
    values.push_back(input_values(operation.arrays[i], static_cast<int>(i)));
  }
  operation.reference(values);
  double error = 0;
  for (std::size_t i = 0; i < operation.arrays.size(); ++i) {
    if (!operation.arrays[i].result) continue;
    error = std::max(error, largest_difference(arrays.values(static_cast<int>(i)), values[i]));
  }
  return error;
}

int host_launches(const OperationName& name) {
  const auto operation = host_operation(name);
  HostArrays arrays(operation.arrays);
  HostExecutor executor;
  operation.run(executor, arrays.pointers());
  return executor.launches;
}

Bytes host_bytes(const OperationName& name) { return host_operation(name).bytes; }

}  // namespace mlsim::kernels::cuda
