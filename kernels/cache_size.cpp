#include "kernels/cache_size.hpp"

#include <unistd.h>

namespace mlsim::kernels {
namespace {

std::int64_t reported(int name, std::int64_t fallback) {
  const long bytes = name < 0 ? 0 : sysconf(name);
  return bytes > 0 ? bytes : fallback;
}

#ifdef _SC_LEVEL3_CACHE_SIZE
constexpr int kLevel2 = _SC_LEVEL2_CACHE_SIZE, kLevel3 = _SC_LEVEL3_CACHE_SIZE;
#else
constexpr int kLevel2 = -1, kLevel3 = -1;
#endif

}  // namespace

std::int64_t private_cache_bytes() { return reported(kLevel2, 2 << 20); }
std::int64_t shared_cache_bytes() { return reported(kLevel3, 32 << 20); }

}  // namespace mlsim::kernels
