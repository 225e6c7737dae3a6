#include "core/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "sim/stragglers/rank_delays.hpp"
#include "sim/stragglers/straggler_options.hpp"
#include "tests/oracles/largest_of_exponentials.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr int kSteps = 2000;

// Mean over many steps of the slowest of n ranks, in spreads above 1, and the standard error of that mean.
std::pair<double, double> slowest(const Jitter& jitter, int n) {
  double sum = 0, squares = 0;
  for (int step = 0; step < kSteps; ++step) {
    double most = 0;
    for (int rank = 0; rank < n; ++rank)
      most = std::max(most, jitter.factor(draw(11, DrawFor::jitter, std::uint64_t(step), std::uint64_t(rank))));
    const double above = (most - 1) / jitter.spread;
    sum += above;
    squares += above * above;
  }
  const double mean = sum / kSteps;
  return {mean, std::sqrt((squares / kSteps - mean * mean) / kSteps)};
}

}  // namespace

TEST_CASE("the largest of n normals has the tabulated means") {
  CHECK(std::abs(largest_of_normals(1)) < 1e-9);
  CHECK(largest_of_normals(2) == Approx(1 / std::sqrt(M_PI)).epsilon(1e-9));
  CHECK(largest_of_normals(8) == Approx(1.42360).epsilon(1e-5));
  CHECK(largest_of_normals(64) == Approx(2.343).epsilon(1e-3));
  CHECK(largest_of_normals(256) == Approx(2.83).epsilon(3e-3));
  CHECK(largest_of_normals(1024) == Approx(3.25).epsilon(3e-3));
  CHECK(largest_of_normals(4096) == Approx(3.63).epsilon(3e-3));
}

TEST_CASE("the largest of n exponentials is a harmonic number less one above the mean") {
  CHECK(largest_of_exponentials(1) == 0);
  CHECK(largest_of_exponentials(2) == 0.5);
  CHECK(largest_of_exponentials(8) == Approx(1.72).epsilon(2e-3));
  CHECK(largest_of_exponentials(64) == Approx(3.74).epsilon(2e-3));
  CHECK(largest_of_exponentials(256) == Approx(5.12).epsilon(2e-3));
  CHECK(largest_of_exponentials(1024) == Approx(6.51).epsilon(2e-3));
  CHECK(largest_of_exponentials(4096) == Approx(7.90).epsilon(2e-3));
}

TEST_CASE("the slowest of drawn ranks lies where order statistics say") {
  for (const int n : {1, 2, 8, 64, 256}) {
    INFO(n << " ranks");
    const auto [normal, normal_error] = slowest(parse_jitter("normal:0.02"), n);
    CHECK(std::abs(normal - largest_of_normals(n)) < 4 * normal_error);
    const auto [exponential, exponential_error] = slowest(parse_jitter("exponential:0.01"), n);
    CHECK(std::abs(exponential - largest_of_exponentials(n)) < 4 * exponential_error);
  }
}
