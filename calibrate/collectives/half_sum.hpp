// add_halves() sums 16-bit floats for MPI and Gloo: neither adds them on every platform.
#pragma once

#include <cstddef>

#include "calibrate/namespace.hpp"
#include "core/kernel/half.hpp"

namespace mlsim::calibrate {

/// Sets into[i] = a[i] + b[i], added in fp32 and rounded; `into` may be `a` or `b`.
void add_halves(HalfBits* into, const HalfBits* a, const HalfBits* b, std::size_t count);

}  // namespace mlsim::calibrate
