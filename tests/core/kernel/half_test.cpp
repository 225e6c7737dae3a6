#include "core/kernel/half.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

namespace mlsim::test {

TEST_CASE("a half of one is 0x3c00 and the largest is 65504") {
  CHECK(half_of_float(1.0f) == 0x3c00);
  CHECK(half_of_float(-2.0f) == 0xc000);
  CHECK(half_of_float(65504.0f) == 0x7bff);
  CHECK(float_of_half(0x7bff) == 65504.0f);
  CHECK(float_of_half(0x0001) == 0x1p-24f);
}

TEST_CASE("a float rounds to the nearest half, ties to even") {
  CHECK(float_of_half(half_of_float(2049.0f)) == 2048.0f);  // halves are two apart from 2048 on
  CHECK(float_of_half(half_of_float(2051.0f)) == 2052.0f);
  CHECK(half_of_float(65519.0f) == 0x7bff);
  CHECK(half_of_float(65520.0f) == 0x7c00);
  CHECK(half_of_float(0x1p-25f) == 0x0000);
  CHECK(half_of_float(0x1.8p-25f) == 0x0001);
}

TEST_CASE("every half that is a number survives the way to float and back") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<HalfBits>(bits);
    if (std::isnan(float_of_half(half)))
      CHECK(std::isnan(float_of_half(half_of_float(float_of_half(half)))));
    else if (half_of_float(float_of_half(half)) != half)
      FAIL("half " << bits);
  }
}

TEST_CASE("infinity and what is no number stay so as halves") {
  CHECK(half_of_float(std::numeric_limits<float>::infinity()) == 0x7c00);
  CHECK(std::isnan(float_of_half(half_of_float(std::numeric_limits<float>::quiet_NaN()))));
  CHECK(std::isnan(float_of_half(0xffff)));
}

}  // namespace mlsim::test
