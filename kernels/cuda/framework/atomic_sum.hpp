// add_to() adds to a number in memory that other threads add to as well; on the host there is one thread.
#pragma once

#include "kernels/cuda/framework/lanes.hpp"

namespace mlsim::kernels::cuda {

MLSIM_HD inline void add_to(float* sum, float value) {
#ifdef __CUDA_ARCH__
  atomicAdd(sum, value);
#else
  *sum += value;
#endif
}

#ifdef __CUDA_ARCH__
// A 16-bit number is added by compare and swap of the aligned word that holds it; pairs take the hardware's way below.
template <class T>
__device__ void add_half_word(T* sum, float value) {
  const auto address = reinterpret_cast<std::uintptr_t>(sum);
  auto* word = reinterpret_cast<unsigned*>(address & ~std::uintptr_t{3});
  const unsigned shift = (address & 2) ? 16 : 0;
  for (unsigned seen = *word;;) {
    const float before = to_float(T{static_cast<std::uint16_t>(seen >> shift)});
    const unsigned after = (seen & ~(0xffffu << shift)) | static_cast<unsigned>(from_float<T>(before + value).bits)
                                                              << shift;
    const unsigned found = atomicCAS(word, seen, after);
    if (found == seen) return;
    seen = found;
  }
}
__device__ inline void add_pair(Half* sum, float first, float second) {
#if __CUDA_ARCH__ >= 600
  atomicAdd(reinterpret_cast<__half2*>(sum), __floats2half2_rn(first, second));
#else
  add_half_word(sum, first);
  add_half_word(sum + 1, second);
#endif
}
__device__ inline void add_pair(BFloat16* sum, float first, float second) {
#if __CUDA_ARCH__ >= 800
  atomicAdd(reinterpret_cast<__nv_bfloat162*>(sum), __floats2bfloat162_rn(first, second));
#else
  add_half_word(sum, first);
  add_half_word(sum + 1, second);
#endif
}
#endif

/// Adds to each of the W elements from `first` on its own value; first is a multiple of W.
template <int W, class T>
MLSIM_HD void add_to(T* array, std::int64_t first, const Lanes<W>& values) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 4) {
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) atomicAdd(array + first + i, values[i]);
  } else if constexpr (W % 2 == 0) {
    MLSIM_UNROLL
    for (int i = 0; i < W; i += 2) add_pair(array + first + i, values[i], values[i + 1]);
  } else {
    for (int i = 0; i < W; ++i) add_half_word(array + first + i, values[i]);
  }
#else
  Lanes<W> sum = read<W>(array, first);
  for (int i = 0; i < W; ++i) sum[i] += values[i];
  write<W>(array, first, sum);
#endif
}

}  // namespace mlsim::kernels::cuda
