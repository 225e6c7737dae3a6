// 16-bit floats of IEEE 754 as MPI and Gloo get them summed: neither adds them on every platform.
#pragma once

#include <cstddef>
#include <cstdint>

#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

using HalfBits = std::uint16_t;  // its bits

float float_of(HalfBits half);
/// To the nearest, ties to even; beyond 65504 to infinity as the standard rounds.
HalfBits half_of(float value);

/// into[i] = a[i] + b[i], added in fp32 and rounded; `into` may be `a` or `b`.
void add_halves(HalfBits* into, const HalfBits* a, const HalfBits* b, std::size_t count);

}  // namespace mlsim::calibrate
