// uniforms() makes random numbers for the elements that a thread moves at once.
#pragma once

#include "kernels/cuda/framework/lanes.hpp"
#include "kernels/cuda/framework/philox.hpp"

namespace mlsim::kernels::cuda {

/// W numbers are uniform in [0, 1), from `first` on, a multiple of W; one block of Philox serves four elements.
template <int W>
MLSIM_HD Lanes<W> uniforms(std::uint32_t seed, std::int64_t first) {
  static_assert(W == 1 || W % 4 == 0, "a vector is one element or whole blocks of four");
  Lanes<W> lanes;
  if constexpr (W == 1) {
    lanes[0] = uniform(random_bits(seed, first));
  } else {
    MLSIM_UNROLL
    for (int group = 0; group < W / 4; ++group) {
      const PhiloxBlock block = random_block(seed, first / 4 + group);
      MLSIM_UNROLL
      for (int i = 0; i < 4; ++i) lanes[group * 4 + i] = uniform(block.at[i]);
    }
  }
  return lanes;
}

}  // namespace mlsim::kernels::cuda
