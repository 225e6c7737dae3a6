// Lanes are sixteen floats side by side; MLSIM_VECTORISED compiles a function once for each kind of vector unit.
#pragma once

#include <cstdint>

#include "kernels/cpu/framework/buffer.hpp"

namespace mlsim::kernels {

/// `Lanes` is GCC's and Clang's vector type: one register with AVX-512, two with AVX2, four with SSE or NEON. Aligned
/// to a float only: rows need not begin at a register's boundary.
using Lanes [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;
using LaneBits [[gnu::vector_size(64)]] = std::int32_t;

// The loader takes the best version that the processor has, so that one build fits every machine of an architecture.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define MLSIM_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MLSIM_VECTORISED
#endif
#define MLSIM_ALWAYS_INLINE __attribute__((always_inline))  // of a lambda
#define MLSIM_INLINE inline MLSIM_ALWAYS_INLINE

MLSIM_INLINE Lanes& lanes_at(float* p) { return *reinterpret_cast<Lanes*>(p); }
MLSIM_INLINE const Lanes& lanes_at(const float* p) { return *reinterpret_cast<const Lanes*>(p); }
/// Loads the first `count` floats at `p`, with zeros behind them.
MLSIM_INLINE Lanes lanes_at(const float* p, std::int64_t count) {
  if (count == kLanes) return lanes_at(p);
  Lanes lanes{};
  for (std::int64_t i = 0; i < count; ++i) lanes[i] = p[i];
  return lanes;
}
MLSIM_INLINE void store(const Lanes& lanes, float* p, std::int64_t count) {
  if (count == kLanes) {
    lanes_at(p) = lanes;
  } else {
    for (std::int64_t i = 0; i < count; ++i) p[i] = lanes[i];
  }
}
/// Calls `visit(i, count)` for every kLanes floats from `begin` on; the last may be fewer.
template <class Visit>
MLSIM_INLINE void for_lanes(std::int64_t begin, std::int64_t end, Visit&& visit) {
  const std::int64_t whole = begin + (end - begin) / kLanes * kLanes;
  for (std::int64_t i = begin; i < whole; i += kLanes) visit(i, kLanes);
  if (whole < end) visit(whole, end - whole);
}
MLSIM_INLINE Lanes lanes_of(float value) { return Lanes{} + value; }
MLSIM_INLINE Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }
MLSIM_INLINE float sum_of(const Lanes& lanes) {
  float sum = 0;
  for (std::int64_t i = 0; i < kLanes; ++i) sum += lanes[i];
  return sum;
}

}  // namespace mlsim::kernels
