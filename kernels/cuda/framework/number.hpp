// These number formats lie in device memory: 16 and 8 bits with the same bits on host and device.
//
// They are IEEE 754 binary16 (1, 5, 10 bits), bfloat16 (1, 8, 7) and OCP 8-bit E4M3 (1, 4, 3; no infinity, largest 448;
// Micikevicius et al., arXiv:2209.05433). Rounding is to nearest, ties to even; E4M3 saturates.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/kernel/half.hpp"
#include "kernels/cuda/framework/host_device.hpp"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace mlsim::kernels::cuda {

struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
struct Float8 {
  std::uint8_t bits;
};

namespace detail {

MLSIM_HD inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
MLSIM_HD inline float float_of(std::uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr int kMantissaBits = 3, kBias = 7;  // of E4M3

// Turns a float below 448 in size into E4M3, rounded to nearest even.
MLSIM_HD inline std::uint32_t narrowed(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t sign = bits >> 31 << 7;
  const int exponent = static_cast<int>((bits >> 23) & 0xff) - 127 + kBias;
  int shift = 23 - kMantissaBits;
  std::uint32_t mantissa = bits & 0x7fffff;
  std::uint32_t base = 0;
  if (exponent <= 0) {  // subnormal in the narrow format
    if (exponent < -kMantissaBits) return sign;
    mantissa |= 0x800000;
    shift += 1 - exponent;
  } else {
    base = static_cast<std::uint32_t>(exponent) << kMantissaBits;
  }
  const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
  return sign | (base + kept + (rest > half || (rest == half && (kept & 1u)) ? 1u : 0u));
}

// Turns E4M3 that is a number into a float.
MLSIM_HD inline float widened(std::uint32_t bits) {
  const std::uint32_t sign = bits >> 7;
  const int exponent = static_cast<int>(bits >> kMantissaBits & 0xfu);
  const std::uint32_t mantissa = bits & 0x7u;
  if (exponent == 0) {
    const float unit = float_of(static_cast<std::uint32_t>(127 + 1 - kBias - kMantissaBits) << 23);
    const float magnitude = static_cast<float>(mantissa) * unit;
    return sign ? -magnitude : magnitude;
  }
  return float_of(sign << 31 | static_cast<std::uint32_t>(exponent - kBias + 127) << 23 |
                  mantissa << (23 - kMantissaBits));
}

}  // namespace detail

MLSIM_HD inline float to_float(float value) { return value; }

MLSIM_HD inline float to_float(Half value) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(value.bits));
#else
  return float_of_half(value.bits);
#endif
}

MLSIM_HD inline float to_float(BFloat16 value) {
  return detail::float_of(static_cast<std::uint32_t>(value.bits) << 16);
}

MLSIM_HD inline float to_float(Float8 value) {
  if ((value.bits & 0x7f) == 0x7f) return detail::float_of(0x7fc00000u);
  return detail::widened(value.bits);
}

/// Masks and labels are bytes.
MLSIM_HD inline float to_float(std::uint8_t value) { return static_cast<float>(value); }

template <class T>
MLSIM_HD T from_float(float value);

template <>
MLSIM_HD inline std::uint8_t from_float<std::uint8_t>(float value) {
  return static_cast<std::uint8_t>(value);
}

template <>
MLSIM_HD inline float from_float<float>(float value) {
  return value;
}

template <>
MLSIM_HD inline Half from_float<Half>(float value) {
#ifdef __CUDA_ARCH__
  return Half{__half_as_ushort(__float2half_rn(value))};
#else
  return Half{half_of_float(value)};
#endif
}

template <>
MLSIM_HD inline BFloat16 from_float<BFloat16>(float value) {
#ifdef __CUDA_ARCH__
  return BFloat16{__bfloat16_as_ushort(__float2bfloat16_rn(value))};
#else
  const std::uint32_t bits = detail::bits_of(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return BFloat16{0x7fff};
  return BFloat16{static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
#endif
}

template <>
MLSIM_HD inline Float8 from_float<Float8>(float value) {
  const std::uint32_t magnitude = detail::bits_of(value) & 0x7fffffffu;
  const auto sign = static_cast<std::uint8_t>(detail::bits_of(value) >> 24 & 0x80u);
  if (magnitude > 0x7f800000u) return Float8{static_cast<std::uint8_t>(sign | 0x7fu)};
  if (magnitude >= 0x43e00000u) return Float8{static_cast<std::uint8_t>(sign | 0x7eu)};  // 448
  return Float8{static_cast<std::uint8_t>(detail::narrowed(value))};
}

}  // namespace mlsim::kernels::cuda
