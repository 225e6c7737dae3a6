// What the caches of a processor hold.
#pragma once

#include <cstdint>

namespace mlsim::kernels {

/// The sizes of level 2, which is a core's own, and of level 3, which cores share; where the system does not say, they
/// are taken as 2 MiB (the largest of today's x86-64 and Arm servers) and 32 MiB.
std::int64_t private_cache_bytes();
std::int64_t shared_cache_bytes();

}  // namespace mlsim::kernels
