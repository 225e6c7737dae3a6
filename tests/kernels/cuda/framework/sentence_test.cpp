#include "catch.hpp"
#include "kernels/cuda/framework/driver_sentence.hpp"

namespace mlsim::kernels::cuda {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("no driver, an old driver and no GPU are sentences") {
  CHECK_THAT(driver_sentence(0, 13000, DeviceCount::driver_too_old, 0, ""),
             ContainsSubstring("no NVIDIA driver on this machine"));
  const std::string old = driver_sentence(12020, 13000, DeviceCount::driver_too_old, 0, "");
  CHECK_THAT(old, ContainsSubstring("12.2"));
  CHECK_THAT(old, ContainsSubstring("needs CUDA 13.0"));
  CHECK_THAT(driver_sentence(13000, 13000, DeviceCount::no_device, 0, ""), ContainsSubstring("no GPU"));
  CHECK_THAT(driver_sentence(13000, 13000, DeviceCount::ok, 0, ""), ContainsSubstring("no GPU"));
  CHECK_THAT(driver_sentence(13000, 13000, DeviceCount::other, 0, "system not ready"),
             ContainsSubstring("system not ready"));
}

TEST_CASE("a driver of the same major version serves a newer runtime") {
  CHECK(driver_sentence(12020, 12080, DeviceCount::ok, 1, "").empty());
  CHECK(driver_sentence(13000, 12080, DeviceCount::ok, 8, "").empty());
}

TEST_CASE("clocks say why they are low, and idling is no reason") {
  CHECK(clock_text(1980, 0) == "1.98 GHz; not throttled");
  CHECK(clock_text(1980, 0x1 | 0x2) == "1.98 GHz; not throttled");
  CHECK(clock_text(1410, 0x4) == "1.41 GHz; throttled: software power cap");
  CHECK(clock_text(1410, 0x44) == "1.41 GHz; throttled: software power cap, hardware thermal slowdown");
}

}  // namespace mlsim::kernels::cuda
