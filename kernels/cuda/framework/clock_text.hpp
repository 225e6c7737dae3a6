// The clock of a GPU and why it is lower than it could be, as text.
#pragma once

#include <cstdint>
#include <string>

namespace mlsim::kernels::cuda {

/// "1.98 GHz; not throttled", "1.41 GHz; throttled: software power cap, hardware thermal slowdown". `reasons` as NVML's
/// nvmlDeviceGetCurrentClocksThrottleReasons; an idle GPU and one at the clocks it was set to are not throttled.
std::string clock_text(unsigned megahertz, std::uint64_t reasons);

}  // namespace mlsim::kernels::cuda
