// `Lanes` are the elements that a thread moves at once, read as fp32 and written in the array's own format.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cuda/framework/number.hpp"

namespace mlsim::kernels::cuda {

/// One load or store instruction of a thread moves at most this (CUDA C++ Programming Guide, device memory accesses).
inline constexpr int kVectorBytes = 16;

/// One such vector holds so many elements of T.
template <class T>
inline constexpr int kVectorWidth = kVectorBytes / static_cast<int>(sizeof(T));

template <class T, int W>
struct alignas(sizeof(T) * W) Packed {
  T at[W];
};

/// W numbers lie in registers.
template <int W>
struct Lanes {
  float at[W];
  MLSIM_HD float& operator[](int i) { return at[i]; }
  MLSIM_HD float operator[](int i) const { return at[i]; }
};

/// Reads the W elements of `array` from `first` on, which is a multiple of W.
template <int W, class T>
MLSIM_HD Lanes<W> read(const T* array, std::int64_t first) {
#ifdef __CUDA_ARCH__
  const auto packed = *reinterpret_cast<const Packed<T, W>*>(array + first);
#else
  Packed<T, W> packed;
  std::memcpy(&packed, array + first, sizeof packed);
#endif
  Lanes<W> lanes;
  MLSIM_UNROLL
  for (int i = 0; i < W; ++i) lanes[i] = to_float(packed.at[i]);
  return lanes;
}

template <int W, class T>
MLSIM_HD void write(T* array, std::int64_t first, const Lanes<W>& lanes) {
  Packed<T, W> packed;
  MLSIM_UNROLL
  for (int i = 0; i < W; ++i) packed.at[i] = from_float<T>(lanes[i]);
#ifdef __CUDA_ARCH__
  *reinterpret_cast<Packed<T, W>*>(array + first) = packed;
#else
  std::memcpy(array + first, &packed, sizeof packed);
#endif
}

}  // namespace mlsim::kernels::cuda
