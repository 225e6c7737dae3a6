// driver_sentence() says why a GPU cannot be used, and what to install; clock_text() how fast it runs, and why not
// faster.
#pragma once

#include <cstdint>
#include <string>

namespace mlsim::kernels::cuda {

/// The runtime said this when it was asked for devices.
enum class DeviceCount { ok, no_device, driver_too_old, other };

/// Says why there is no device; empty where there is one. Versions are as CUDA counts them: 13000 for 13.0; driver 0
/// means that there is none. `text` is the runtime's own for `other`.
std::string driver_sentence(int driver, int runtime, DeviceCount answer, int devices, const std::string& text);

/// Writes 13000 as "13.0".
std::string version_text(int version);

/// It reads "1.98 GHz; not throttled" or "1.41 GHz; throttled: software power cap, hardware thermal slowdown".
/// `reasons` are NVML's (nvmlDeviceGetCurrentClocksThrottleReasons); idle and clocks set on purpose do not count.
std::string clock_text(unsigned megahertz, std::uint64_t reasons);

}  // namespace mlsim::kernels::cuda
