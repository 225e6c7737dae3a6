// kLanes says how many floats the vector code takes side by side.
#pragma once

#include <cstdint>

namespace mlsim::kernels {

/// It fills a register of AVX-512.
inline constexpr std::int64_t kLanes = 16;

}  // namespace mlsim::kernels
