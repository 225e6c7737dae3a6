// Why a GPU cannot be used, as a sentence that says what to install.
#pragma once

#include <string>

namespace mlsim::kernels::cuda {

/// What the runtime said when it was asked for devices.
enum class DeviceCount { ok, no_device, driver_too_old, other };

/// Why there is no device; empty where there is one. Versions are as CUDA counts them: 13000 for 13.0; driver 0: there
/// is none. `text` is the runtime's own for `other`.
std::string driver_sentence(int driver, int runtime, DeviceCount answer, int devices, const std::string& text);

/// "13.0" of 13000.
std::string version_text(int version);

}  // namespace mlsim::kernels::cuda
