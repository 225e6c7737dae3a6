#include "kernels/cuda/framework/driver_sentence.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace mlsim::kernels::cuda {
namespace {

// Bits are nvml.h's nvmlClocksThrottleReason*; 0x1 (idle), 0x2 (application), 0x100 (display clocks) are settings.
constexpr std::array<std::pair<std::uint64_t, const char*>, 6> kReasons{{
    {0x04, "software power cap"},
    {0x08, "hardware slowdown"},
    {0x10, "sync boost"},
    {0x20, "software thermal slowdown"},
    {0x40, "hardware thermal slowdown"},
    {0x80, "hardware power brake"},
}};

}  // namespace

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

std::string clock_text(unsigned megahertz, std::uint64_t reasons) {
  std::string why;
  for (const auto& [bit, text] : kReasons) {
    if (reasons & bit) why += (why.empty() ? "" : ", ") + std::string(text);
  }
  const std::string clock = fmt::format("{:.2f} GHz; ", megahertz / 1000.0);
  return clock + (why.empty() ? "not throttled" : "throttled: " + why);
}

}  // namespace mlsim::kernels::cuda
