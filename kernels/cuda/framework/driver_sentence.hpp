// driver_sentence() says why a GPU cannot be used, and what to install.
#pragma once

#include <string>

namespace mlsim::kernels::cuda {

/// The runtime said this when it was asked for devices.
enum class DeviceCount { ok, no_device, driver_too_old, other };

/// Says why there is no device; empty where there is one. Versions are as CUDA counts them: 13000 for 13.0; driver 0
/// means that there is none. `text` is the runtime's own for `other`.
std::string driver_sentence(int driver, int runtime, DeviceCount answer, int devices, const std::string& text);

/// Writes 13000 as "13.0".
std::string version_text(int version);

}  // namespace mlsim::kernels::cuda
