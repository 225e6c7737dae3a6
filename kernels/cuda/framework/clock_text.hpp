// clock_text() writes the clock of a GPU, and why it is lower than it could be.
#pragma once

#include <cstdint>
#include <string>

namespace mlsim::kernels::cuda {

/// It reads "1.98 GHz; not throttled" or "1.41 GHz; throttled: software power cap, hardware thermal slowdown".
/// `reasons` are NVML's (nvmlDeviceGetCurrentClocksThrottleReasons); idle and clocks set on purpose do not count.
std::string clock_text(unsigned megahertz, std::uint64_t reasons);

}  // namespace mlsim::kernels::cuda
