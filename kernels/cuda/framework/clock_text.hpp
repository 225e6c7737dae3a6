// clock_text() writes the clock of a GPU, and why it is lower than it could be.
#pragma once

#include <cstdint>
#include <string>

namespace mlsim::kernels::cuda {

/// The text is "1.98 GHz; not throttled" or "1.41 GHz; throttled: software power cap, hardware thermal slowdown".
/// `reasons` are those of NVML's nvmlDeviceGetCurrentClocksThrottleReasons; an idle GPU and one at the clocks it was
/// set to are not throttled.
std::string clock_text(unsigned megahertz, std::uint64_t reasons);

}  // namespace mlsim::kernels::cuda
