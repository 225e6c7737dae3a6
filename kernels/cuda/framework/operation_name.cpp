#include "kernels/cuda/framework/operation_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/text/errors.hpp"

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

}  // namespace mlsim::kernels::cuda
