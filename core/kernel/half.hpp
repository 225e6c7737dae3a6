// HalfBits holds an IEEE 754 binary16 number as its bits: sign, 5 bits of exponent (bias 15), 10 of mantissa.
#pragma once

#include <bit>
#include <cstdint>

namespace mlsim {

using HalfBits = std::uint16_t;

/// Every binary16 number converts exactly.
inline float float_of_half(HalfBits half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, size = (half & 0x7fffu) << 13;
  constexpr std::uint32_t kSpecial = 0x1fu << 23;  // exponent of infinity and NaN
  if (size >= kSpecial) return std::bit_cast<float>(sign | size | 0x7f800000u);
  const float value = std::bit_cast<float>(size) * 0x1p112f;  // moves the bias; right for subnormals, too
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

/// Rounds to the nearest, ties to even; a value beyond 65504 becomes infinity as the standard rounds.
inline HalfBits half_of_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), sign = bits & 0x80000000u;
  std::uint32_t size = bits ^ sign, half;
  if (size >= std::bit_cast<std::uint32_t>(65536.0f)) {
    half = size > 0x7f800000u ? 0x7e00u : 0x7c00u;  // NaN, infinity
  } else if (size < std::bit_cast<std::uint32_t>(0x1p-14f)) {
    // The units of 0.5f are those of fp16's smallest numbers, so this addition rounds subnormals to them.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
  } else {
    size -= (127u - 15u) << 23;
    half = (size + 0xfffu + ((size >> 13) & 1u)) >> 13;  // half a unit less one bit, and that bit where odd
  }
  return static_cast<HalfBits>(half | sign >> 16);
}

}  // namespace mlsim
