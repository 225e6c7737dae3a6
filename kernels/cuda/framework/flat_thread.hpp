// flat_thread() is what one thread does of a kernel over a flat array; the same code runs thread by thread on the host.
//
// An operator has `template <int W> MLSIM_HD void apply(std::int64_t first) const` for the W elements from `first` on.
#pragma once

#include <cstdint>

#include "kernels/cuda/framework/host_device.hpp"

namespace mlsim::kernels::cuda {

/// Thread t of n takes the vectors t, t + n, ... and its share of the tail, which fills no vector, element by element.
template <int W, class Op>
MLSIM_HD void flat_thread(const Op& op, std::int64_t elements, std::int64_t thread, std::int64_t threads) {
  const std::int64_t tail = elements / W * W;
  for (std::int64_t first = thread * W; first < tail; first += threads * W) op.template apply<W>(first);
  for (std::int64_t i = tail + thread; i < elements; i += threads) op.template apply<1>(i);
}

}  // namespace mlsim::kernels::cuda
