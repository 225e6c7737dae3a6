#include "kernels/cuda/framework/clock_text.hpp"

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

std::string clock_text(unsigned megahertz, std::uint64_t reasons) {
  std::string why;
  for (const auto& [bit, text] : kReasons) {
    if (reasons & bit) why += (why.empty() ? "" : ", ") + std::string(text);
  }
  const std::string clock = fmt::format("{:.2f} GHz; ", megahertz / 1000.0);
  return clock + (why.empty() ? "not throttled" : "throttled: " + why);
}

}  // namespace mlsim::kernels::cuda
