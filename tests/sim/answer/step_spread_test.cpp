#include "sim/answer/answered_step.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("parts of a sum add their spreads in squares, by share") {
  CHECK(combined_spread({{0.6, 0.1}, {0.4, 0.2}}, 0) == Approx(0.1));  // 0.06 and 0.08
  CHECK(combined_spread({{1, 0.3}}, 0) == Approx(0.3));
}

TEST_CASE("no measurement makes an answer surer than a whole measured step would") {
  CHECK(combined_spread({{1, 0.001}}, kLeastMeasuredSpread) == kLeastMeasuredSpread);
  CHECK(combined_spread({}, kLeastMeasuredSpread) == kLeastMeasuredSpread);
}
