#include "kernels/cuda/framework/driver_sentence.hpp"

#include <fmt/format.h>

namespace mlsim::kernels::cuda {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string driver_sentence(int driver, int runtime, DeviceCount answer, int devices, const std::string& text) {
  if (driver == 0)
    return "no NVIDIA driver on this machine; install one for CUDA " + version_text(runtime) + " or newer";
  // An older driver serves a newer runtime within a major version (CUDA minor version compatibility).
  if (answer == DeviceCount::driver_too_old || driver / 1000 < runtime / 1000) {
    return fmt::format(
        "the NVIDIA driver is too old: it serves CUDA {} and this program needs CUDA {}.0; install a newer driver",
        version_text(driver), runtime / 1000);
  }
  if (answer == DeviceCount::no_device || (answer == DeviceCount::ok && devices == 0)) {
    return "the NVIDIA driver finds no GPU (CUDA_VISIBLE_DEVICES may hide it)";
  }
  if (answer == DeviceCount::other) return "the NVIDIA driver gives no GPU: " + text;
  return {};
}

}  // namespace mlsim::kernels::cuda
