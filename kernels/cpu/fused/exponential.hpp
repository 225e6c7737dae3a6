// exponential() takes e to the power of sixteen floats at once.
#pragma once

#include "kernels/cpu/framework/lanes.hpp"

namespace mlsim::kernels {

/// The result is within 2 units in the last place between -87 and 88, where x is clamped: 2^n e^r with a polynomial for
/// |r| <= ln(2) / 2 (Cephes, expf.c).
MLSIM_INLINE Lanes exponential(const Lanes& value) {
  constexpr float kRoundToWhole = 12582912;  // 1.5 * 2^23: what is added to it loses its fraction
  Lanes x = larger(value, lanes_of(-87));
  x = x < lanes_of(88) ? x : lanes_of(88);
  const Lanes n = (x * 1.44269504f + kRoundToWhole) - kRoundToWhole;
  const Lanes r = x - n * 0.693359375f + n * 2.12194440e-4f;
  Lanes p = lanes_of(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1;
  const LaneBits power = (__builtin_convertvector(n, LaneBits) + 127) << 23;
  // std::bit_cast does not serve: without inlining it would be compiled for another vector unit than its caller.
  return p * __builtin_bit_cast(Lanes, power);
}

}  // namespace mlsim::kernels
