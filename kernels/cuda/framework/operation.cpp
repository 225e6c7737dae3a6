#include "kernels/cuda/framework/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/text/errors.hpp"
#include "kernels/cuda/framework/philox.hpp"

namespace mlsim::kernels::cuda {
namespace {

// The reference runs in float64 on one core: an exponential for each of these takes about 20 ms.
constexpr std::int64_t kCheckedElements = std::int64_t{1} << 21;

bool second_size_is_a_row(const OperationName& name) {
  static const std::vector<std::string> flat{"gelu",
                                             "cast_scale",
                                             "sigmoid_loss_forward",
                                             "sigmoid_loss_backward",
                                             "stream",
                                             "sgd",
                                             "momentum",
                                             "nesterov",
                                             "averaged_sgd",
                                             "adagrad",
                                             "lars",
                                             "adam",
                                             "lamb",
                                             "clip_gradient"};
  return name.sizes.size() > 1 && std::find(flat.begin(), flat.end(), name.kind) == flat.end();
}

template <class T>
double in_format(float value) {
  return to_float(from_float<T>(value));
}

template <class T, class Number>
std::vector<double> decode(std::int64_t elements, const std::vector<std::uint8_t>& bytes, Number number) {
  std::vector<double> values(elements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = number(element);
  }
  return values;
}

}  // namespace

OperationName reduced(const OperationName& name) {
  OperationName less = name;
  if (name.kind == "stream") {
    for (std::size_t i = 0; i < 2; ++i) less.sizes[i] = std::min(less.sizes[i], kCheckedElements + 3);
    return less;
  }
  const std::int64_t row = second_size_is_a_row(name) ? name.sizes[1] : 1;
  // The rows are no whole number of blocks, so that the tail is checked too.
  const std::int64_t rows = std::max<std::int64_t>(1, kCheckedElements / row) + 3;
  less.sizes[0] = std::min(name.sizes[0], rows);
  return less;
}

std::int64_t indexable(std::int64_t elements) {
  if (elements > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(fmt::format("an array of {} elements is beyond indices of 32 bits", elements));
  }
  return elements;
}

std::int64_t size_of(Format format) {
  switch (format) {
    case Format::fp32:
    case Format::index: return 4;
    case Format::fp16:
    case Format::bf16: return 2;
    case Format::fp8:
    case Format::byte: return 1;
    case Format::chunk: return sizeof(Chunk);
  }
  throw std::logic_error("no such format");
}

Format storage_format(Precision precision) {
  if (precision == Precision::fp16) return Format::fp16;
  return precision == Precision::bf16 || is_recipe(precision) ? Format::bf16 : Format::fp32;
}

double input_value(const Array& array, int number, std::int64_t i) {
  const float value = random_value(static_cast<std::uint32_t>(number), i, array.low, array.high);
  switch (array.format) {
    case Format::fp32: return value;
    case Format::fp16: return in_format<Half>(value);
    case Format::bf16: return in_format<BFloat16>(value);
    case Format::fp8: return in_format<Float8>(value);
    case Format::byte:
    case Format::index: return random_index(static_cast<std::uint32_t>(number), i, array.high);
    case Format::chunk: break;
  }
  throw std::logic_error("a table of chunks has no numbers");
}

std::vector<double> input_values(const Array& array, int number) {
  if (array.format == Format::chunk) return {};
  std::vector<double> values(array.elements);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = input_value(array, number, static_cast<std::int64_t>(i));
  }
  return values;
}

double largest_difference(const std::vector<double>& got, const std::vector<double>& want) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!std::isfinite(got.at(i)) || !std::isfinite(want[i])) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, std::abs(got[i] - want[i]));
    largest = std::max(largest, std::abs(want[i]));
  }
  return largest > 0 ? difference / largest : difference;
}

std::vector<double> decoded(const Array& array, const std::vector<std::uint8_t>& bytes) {
  const auto as_float = [](auto element) { return double(to_float(element)); };
  const auto as_whole = [](auto element) { return double(element); };
  switch (array.format) {
    case Format::fp32: return decode<float>(array.elements, bytes, as_float);
    case Format::fp16: return decode<Half>(array.elements, bytes, as_float);
    case Format::bf16: return decode<BFloat16>(array.elements, bytes, as_float);
    case Format::fp8: return decode<Float8>(array.elements, bytes, as_float);
    case Format::byte: return decode<std::uint8_t>(array.elements, bytes, as_whole);
    case Format::index: return decode<std::int32_t>(array.elements, bytes, as_whole);
    case Format::chunk: return {};
  }
  throw std::logic_error("no such format");
}

}  // namespace mlsim::kernels::cuda
