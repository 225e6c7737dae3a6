// 16-bit floats of IEEE 754 as MPI and Gloo get them summed: neither adds them on every platform.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mlsim {

using Half = std::uint16_t;  // its bits

float float_of(Half half);
/// To the nearest, ties to even; beyond 65504 to infinity as the standard rounds.
Half half_of(float value);

/// into[i] = a[i] + b[i], added in fp32 and rounded; `into` may be `a` or `b`.
void add_halves(Half* into, const Half* a, const Half* b, std::size_t count);

}  // namespace mlsim
