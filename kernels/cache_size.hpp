// These functions say what the caches of a processor hold.
#pragma once

#include <cstdint>

namespace mlsim::kernels {

/// Level 2 is a core's own, and cores share level 3; where the system does not say their sizes, they are taken as 2 MiB
/// (the largest of today's x86-64 and Arm servers) and 32 MiB.
std::int64_t private_cache_bytes();
std::int64_t shared_cache_bytes();

}  // namespace mlsim::kernels
