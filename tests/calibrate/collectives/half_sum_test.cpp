#include "calibrate/collectives/communicator.hpp"

#include "catch.hpp"

namespace mlsim::test {

TEST_CASE("halves are added element by element, in place too") {
  HalfBits a[] = {half_of_float(1.5f), half_of_float(-3.0f)};
  const HalfBits b[] = {half_of_float(0.25f), half_of_float(5.0f)};
  add_halves(a, a, b, 2);
  CHECK(float_of_half(a[0]) == 1.75f);
  CHECK(float_of_half(a[1]) == 2.0f);
}

}  // namespace mlsim::test
