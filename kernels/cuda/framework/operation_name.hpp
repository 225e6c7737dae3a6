// An `OperationName` names an operation that our own kernels do; its builders share the functions below.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/kernel/precision.hpp"
#include "kernels/cuda/framework/operation.hpp"

namespace mlsim::kernels::cuda {

/// A name reads "bias_relu fused fp16 8192 1024".
struct OperationName {
  std::string kind;
  bool fused = true;
  Precision precision = Precision::fp32;
  std::vector<std::int64_t> sizes;
  bool operator==(const OperationName&) const = default;
};

/// Returns the operation on fewer rows or parameters (its first size), so that a reference in float64 takes well under
/// a second; the same where it is small already.
OperationName reduced(const OperationName& name);

/// Throws InputError where indices of 32 bits do not reach.
std::int64_t indexable(std::int64_t elements);

template <class T>
struct Element {
  using type = T;
};

/// Calls f(Element<T>{}) with the type T that activations of the precision are stored in.
template <class F>
auto with_element(Precision precision, F f) {
  switch (storage_format(precision)) {
    case Format::fp16: return f(Element<Half>{});
    case Format::bf16: return f(Element<BFloat16>{});
    default: return f(Element<float>{});
  }
}

/// Adds an array to an operation and gives its number.
template <class Executor>
int add(Operation<Executor>& operation, Array array) {
  operation.arrays.push_back(std::move(array));
  return static_cast<int>(operation.arrays.size()) - 1;
}

/// Makes an input in T, uniform in [low, high).
template <class T>
Array input(std::int64_t elements, float low = -1, float high = 1) {
  return {format_of<T>(), elements, low, high, false, {}};
}
/// Makes an output, or an input that is replaced.
template <class T>
Array result(std::int64_t elements, float low = -1, float high = 1) {
  return {format_of<T>(), elements, low, high, true, {}};
}
inline Array whole_numbers(Format format, std::int64_t elements, std::int64_t end) {
  return {format, elements, 0, static_cast<float>(end), false, {}};
}

/// Returns the place in Values of an element of a row-major matrix with `columns` columns.
inline std::size_t at(std::int64_t row, std::int64_t columns, std::int64_t column) {
  return static_cast<std::size_t>(row * columns + column);
}

/// Returns an array of Values by its number.
inline std::vector<double>& of(Values& values, int number) { return values[number]; }

}  // namespace mlsim::kernels::cuda
