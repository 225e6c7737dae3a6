#include "calibrate/measure.hpp"

#include <cmath>
#include <random>

#include "calibrate/sample_statistics.hpp"
#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::vector<Seconds> seconds(const std::vector<double>& values) {
  std::vector<Seconds> list;
  for (const double value : values) list.emplace_back(value);
  return list;
}

// Samples until the rule is content, each 1 s apart on the clock.
std::pair<int, StoppedBy> stop_of(const StoppingRule& rule, const std::function<double(int)>& sample) {
  StoppingDecision decision(rule);
  for (int i = 1;; ++i) {
    decision.take(Seconds(sample(i)));
    if (const auto reason = decision.reason(Seconds(i))) return {i, *reason};
  }
}

}  // namespace

TEST_CASE("the quartiles of 1 to 5 are 2, 3 and 4, in any order of the samples") {
  const SampleStatistics time = sample_statistics(seconds({5, 1, 4, 2, 3}));
  CHECK(time == SampleStatistics{Seconds(3), Seconds(2), Seconds(4), 5, 0});
  CHECK(noise(time) == Approx(2.0 / 3));
}

TEST_CASE("quartiles lie linearly between samples") {
  const SampleStatistics time = sample_statistics(seconds({1, 2}));
  CHECK(time.lower_quartile == Seconds(1.25));
  CHECK(time.median == Seconds(1.5));
  CHECK(time.upper_quartile == Seconds(1.75));
}

TEST_CASE("a sample beyond three interquartile ranges is an outlier and still counts") {
  // Quartiles of 1..5 and 100 (type 7): 2.25 and 4.75; the fence is 4.75 + 3 * 2.5 = 12.25.
  const SampleStatistics time = sample_statistics(seconds({1, 2, 3, 4, 5, 100}));
  CHECK(time.count == 6);
  CHECK(time.outliers == 1);
  CHECK(sample_statistics(seconds({1, 2, 3, 4, 5, 12})).outliers == 0);
}

TEST_CASE("no samples have no statistics and equal ones no noise") {
  CHECK(sample_statistics({}) == SampleStatistics{});
  CHECK(noise(sample_statistics(seconds({2, 2, 2}))) == 0);
}

TEST_CASE("a quiet measurement stops at the fewest samples") {
  const StoppingRule rule{0.02, 10, 1000, Seconds(1e9)};
  CHECK(stop_of(rule, [](int) { return 1.0; }) == std::pair(10, StoppedBy::noise));
}

TEST_CASE("a loud measurement stops when its noise no longer changes, before the most samples") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);  // interquartile range over median: 0.5
  const auto [samples, reason] = stop_of({0.02, 10, 100000, Seconds(1e9)}, [&](int) { return uniform(random); });
  CHECK(reason == StoppedBy::stable_noise);
  CHECK(samples > 70);
  CHECK(samples < 2000);
}

TEST_CASE("noise that grows goes on to the most samples") {
  const auto [samples, reason] = stop_of({0.001, 3, 100, Seconds(1e9)}, [](int i) { return std::pow(1.2, i); });
  CHECK(samples == 100);
  CHECK(reason == StoppedBy::max_samples);
}

TEST_CASE("the time limit stops, but never before the fewest samples") {
  const auto growing = [](int i) { return 1.0 + i * i; };
  CHECK(stop_of({0.001, 3, 1000, Seconds(20)}, growing) == std::pair(20, StoppedBy::time_limit));
  CHECK(stop_of({0.001, 30, 1000, Seconds(20)}, growing) == std::pair(30, StoppedBy::time_limit));
}
