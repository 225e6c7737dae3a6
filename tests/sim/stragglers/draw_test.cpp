#include "sim/stragglers/rank_delays.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("a number depends on seed, purpose, step and index, and on nothing else") {
  const double first = draw(1, DrawFor::jitter, 2, 3);
  CHECK(draw(1, DrawFor::jitter, 2, 3) == first);
  CHECK(draw(2, DrawFor::jitter, 2, 3) != first);
  CHECK(draw(1, DrawFor::input, 2, 3) != first);
  CHECK(draw(1, DrawFor::jitter, 3, 3) != first);
  CHECK(draw(1, DrawFor::jitter, 2, 4) != first);
  CHECK(draw(1, DrawFor::jitter, 3, 2) != first);
}

TEST_CASE("numbers are uniform and steps are independent of each other") {
  constexpr int kCount = 100'000;
  std::vector<double> values;
  double product = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    values.push_back(draw(7, DrawFor::jitter, 0, i));
    product += (values.back() - 0.5) * (draw(7, DrawFor::jitter, 1, i) - 0.5);
  }
  std::sort(values.begin(), values.end());
  CHECK(values.front() > 0);
  CHECK(values.back() < 1);
  double distance = 0;  // Kolmogorov and Smirnov's
  for (std::size_t i = 0; i < values.size(); ++i)
    distance = std::max(distance, std::abs(values[i] - (double(i) + 0.5) / kCount));
  CHECK(distance < 1.63 / std::sqrt(double(kCount)));  // their 1 % point
  CHECK(std::abs(product / kCount) < 4.0 / 12 / std::sqrt(double(kCount)));
}
