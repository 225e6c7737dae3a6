#include "core/quantile.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("a quantile lies linearly between order statistics") {
  CHECK(quantile({1, 2, 3, 4, 5}, 0.5) == 3);
  CHECK(quantile({1, 2, 3, 4}, 0.5) == 2.5);
  CHECK(quantile({0, 10}, 0.9) == Approx(9));
  CHECK(quantile({7}, 0.9) == 7);
}
