#include "kernels/cuda/framework/number.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

namespace mlsim::kernels::cuda {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("every finite number of a narrow format survives the way to fp32 and back") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = Half{static_cast<std::uint16_t>(bits)};
    if (std::isfinite(to_float(half))) REQUIRE(from_float<Half>(to_float(half)).bits == bits);
    const auto brain = BFloat16{static_cast<std::uint16_t>(bits)};
    if (std::isfinite(to_float(brain))) REQUIRE(from_float<BFloat16>(to_float(brain)).bits == bits);
  }
  for (std::uint32_t bits = 0; bits < 0x100; ++bits) {
    const auto eight = Float8{static_cast<std::uint8_t>(bits)};
    if (std::isfinite(to_float(eight))) REQUIRE(from_float<Float8>(to_float(eight)).bits == bits);
  }
}

TEST_CASE("rounding is to nearest, ties to even") {
  CHECK(to_float(from_float<Half>(2049)) == 2048);  // between 2048 and 2050
  CHECK(to_float(from_float<Half>(2051)) == 2052);  // between 2050 and 2052
  CHECK(to_float(from_float<BFloat16>(257)) == 256);
  CHECK(to_float(from_float<BFloat16>(259)) == 260);
  CHECK(to_float(from_float<Float8>(17)) == 16);
  CHECK(to_float(from_float<Float8>(19)) == 20);
}

TEST_CASE("the ends of the formats: largest, smallest and beyond") {
  CHECK(to_float(from_float<Half>(65504)) == 65504);
  CHECK(to_float(from_float<Half>(65519)) == 65504);
  CHECK(to_float(from_float<Half>(65520)) == kInfinity);
  CHECK(to_float(from_float<Half>(-1e9f)) == -kInfinity);
  CHECK(to_float(from_float<Half>(0x1p-24f)) == 0x1p-24f);
  CHECK(to_float(from_float<Half>(0x1p-26f)) == 0);
  CHECK(to_float(from_float<Float8>(448)) == 448);
  CHECK(to_float(from_float<Float8>(1000)) == 448);  // E4M3 saturates
  CHECK(to_float(from_float<Float8>(0x1p-9f)) == 0x1p-9f);
  CHECK(std::isnan(to_float(from_float<Half>(NAN))));
  CHECK(std::isnan(to_float(from_float<BFloat16>(NAN))));
  CHECK(std::isnan(to_float(from_float<Float8>(NAN))));
}

}  // namespace mlsim::kernels::cuda
