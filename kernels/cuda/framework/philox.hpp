// Philox makes random numbers by counter: the same on host and device, in any order, without state.
//
// The generator is Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011).
#pragma once

#include <cstdint>

#include "kernels/cuda/framework/host_device.hpp"
#include "kernels/cuda/framework/lanes.hpp"

namespace mlsim::kernels::cuda {

struct PhiloxBlock {
  std::uint32_t at[4];
};

MLSIM_HD inline PhiloxBlock philox(PhiloxBlock counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter.at[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter.at[2];
    counter = {{static_cast<std::uint32_t>(product1 >> 32) ^ counter.at[1] ^ key0, static_cast<std::uint32_t>(product1),
                static_cast<std::uint32_t>(product0 >> 32) ^ counter.at[3] ^ key1,
                static_cast<std::uint32_t>(product0)}};
    key0 += 0x9E3779B9u;  // the golden ratio and the square root of 3 less 1, as the paper has them
    key1 += 0xBB67AE85u;
  }
  return counter;
}

/// Returns four 32-bit numbers for the elements 4 * group .. 4 * group + 3 of an array with this seed.
MLSIM_HD inline PhiloxBlock random_block(std::uint32_t seed, std::int64_t group) {
  const auto counter = static_cast<std::uint64_t>(group);
  return philox({{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0}}, seed, 0);
}

MLSIM_HD inline std::uint32_t random_bits(std::uint32_t seed, std::int64_t element) {
  return random_block(seed, element / 4).at[element % 4];
}

/// The number is uniform in [0, 1), with the 24 bits that a float holds.
MLSIM_HD inline float uniform(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

/// Scales a number of [0, 1) to [low, high). The product and the sum are rounded apart on host and device alike.
MLSIM_HD inline float scaled(float value, float low, float high) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(low, __fmul_rn(high - low, value));
#else
  const volatile float product = (high - low) * value;
  return low + product;
#endif
}

/// Returns an element of an array of random numbers, uniform in [low, high).
MLSIM_HD inline float random_value(std::uint32_t seed, std::int64_t element, float low, float high) {
  return scaled(uniform(random_bits(seed, element)), low, high);
}

/// Returns a whole number in [0, end).
MLSIM_HD inline std::int32_t random_index(std::uint32_t seed, std::int64_t element, float end) {
  const auto bound = static_cast<std::uint64_t>(end);
  return static_cast<std::int32_t>(std::uint64_t{random_bits(seed, element)} * bound >> 32);
}

/// Returns numbers for the elements that a thread moves at once: W are uniform in [0, 1), from `first` on, a multiple
/// of W; one block of Philox serves four elements.
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
