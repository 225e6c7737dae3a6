// An `Operation` is a kernel or a sequence of kernels as data: the arrays it works on, how it runs, what it should give
// and what it moves.
//
// The same description runs on the GPU and, thread by thread, on the host (tests).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/precision.hpp"
#include "core/units.hpp"
#include "kernels/cuda/framework/number.hpp"

namespace mlsim::kernels::cuda {

/// A `Chunk` is a piece of one tensor of a list, which one block updates.
struct Chunk {
  std::int64_t begin = 0;  // in the array of all tensors
  std::int32_t elements = 0;
  std::int32_t tensor = 0;
};

enum class Format { fp32, fp16, bf16, fp8, byte, index, chunk };

std::int64_t size_of(Format format);
/// Activations of a step of this precision are stored in this format: tf32 as fp32, fp8 as bf16.
Format storage_format(Precision precision);

template <class T>
constexpr Format format_of() {
  if constexpr (sizeof(T) == 4) return Format::fp32;
  if constexpr (sizeof(T) == 1) return Format::fp8;
  return std::is_same_v<T, Half> ? Format::fp16 : Format::bf16;
}

/// An array holds numbers uniform in [low, high); whole ones in [0, high) for bytes and indices.
struct Array {
  Format format = Format::fp32;
  std::int64_t elements = 0;
  float low = -1, high = 1;
  bool result = false;        // compared with the reference
  std::vector<Chunk> chunks;  // what a Format::chunk holds
  std::int64_t bytes() const { return elements * size_of(format); }
};

/// The pointers say where the arrays of an operation lie.
struct Pointers {
  std::vector<void*> at;
  template <class T>
  T* get(int i) const {
    return static_cast<T*>(at[i]);
  }
};

/// Values are the arrays' contents, in the order of Operation::arrays; chunk arrays are empty.
using Values = std::vector<std::vector<double>>;

/// Executor has
///   flat<T>(elements, row_elements, op)   a flat operator on vectors of T, if rows of row_elements are whole vectors
///                                         (0: there are no rows)
///   rows<T>(rows, elements, op)           a row operator on rows of equal length
///   chunks(count, op)                     a row operator on fp32 chunks of at most kChunkElements
///   zero(pointer, bytes)
template <class Executor>
struct Operation {
  std::vector<Array> arrays;
  std::function<void(Executor&, const Pointers&)> run;
  std::function<void(Values&)> reference;  // replaces the inputs of arrays with `result` by what they should be
  Bytes bytes;                             // moved to and from device memory, at least
  Flop flop;
};

/// Returns the input of element i of array number `array`, as it stands in its format.
double input_value(const Array& array, int number, std::int64_t i);
/// Returns all inputs of an array.
std::vector<double> input_values(const Array& array, int number);
/// Returns the largest difference over the largest element of `want`, both absolute; infinity where one is no number.
double largest_difference(const std::vector<double>& got, const std::vector<double>& want);
/// Reads numbers from the bytes of an array on the device.
std::vector<double> decoded(const Array& array, const std::vector<std::uint8_t>& bytes);

/// An `OperationName` names an operation that our own kernels do; its builders share the functions below. A name reads
/// "bias_relu fused fp16 8192 1024".
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
