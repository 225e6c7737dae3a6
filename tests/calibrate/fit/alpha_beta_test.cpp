#include "calibrate/fit/alpha_beta.hpp"

#include <cmath>

#include "catch.hpp"
#include "costs/collective_time.hpp"
#include "noise.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::vector<PayloadTime> sampled(const std::vector<AlphaBetaSegment>& truth, double sigma, std::uint64_t seed = 1) {
  Noise noise(seed, sigma);
  std::vector<PayloadTime> points;
  for (double s = 64; s <= 1 << 28; s *= 2)
    points.push_back({Bytes(s), segment_time(truth, Bytes(s)) * noise.factor()});
  return points;
}

const std::vector<AlphaBetaSegment> kThree{{Bytes(64), microseconds(20), 1e-9},
                                           {Bytes(48 * 1024), microseconds(90), 2e-10},
                                           {Bytes(6 << 20), milliseconds(4), 5e-10}};

bool rises(const std::vector<AlphaBetaSegment>& segments) {
  Seconds last;
  for (double s = 32; s <= 1 << 28; s *= 1.07) {
    const Seconds now = segment_time(segments, Bytes(s));
    if (now < last * (1 - 1e-9)) return false;
    last = now;
  }
  return true;
}

}  // namespace

TEST_CASE("the nearest line with no negative coefficient") {
  LineSums up;  // y = 1 + 2 x
  for (const double x : {0.0, 1.0, 2.0}) up.add(1, x, 1 + 2 * x);
  CHECK(up.line().u == Approx(1));
  CHECK(up.line().v == Approx(2));
  CHECK(up.squares(up.line()) == Approx(0).margin(1e-12));
  LineSums down;  // y = 2 - x: the best level is the mean
  for (const double x : {0.0, 1.0, 2.0}) down.add(1, x, 2 - x);
  CHECK(down.line().u == Approx(1));
  CHECK(down.line().v == 0);
  LineSums below;  // y = 2 x - 1 at 1 and 2: through 0, (1 + 6) / (1 + 4)
  for (const double x : {1.0, 2.0}) below.add(1, x, 2 * x - 1);
  CHECK(below.line().u == 0);
  CHECK(below.line().v == Approx(7.0 / 5));
}

TEST_CASE("the cheapest cut of a row is found for every number of pieces") {
  const std::vector<double> row{1, 1, 1, 5, 5, 9, 9};
  const auto spread = [&](std::size_t begin, std::size_t end) {
    double mean = 0, sum = 0;
    for (std::size_t i = begin; i < end; ++i) mean += row[i] / static_cast<double>(end - begin);
    for (std::size_t i = begin; i < end; ++i) sum += (row[i] - mean) * (row[i] - mean);
    return sum;
  };
  const auto cuts = segmentations(row.size(), 3, spread);
  REQUIRE(cuts.size() == 3);
  CHECK(cuts[0].begins == std::vector<std::size_t>{0});
  CHECK(cuts[2].begins == std::vector<std::size_t>{0, 3, 5});
  CHECK(cuts[2].cost == Approx(0).margin(1e-12));
  CHECK(cuts[1].cost < cuts[0].cost);
  CHECK(least_bic(cuts, 7).begins.size() == 3);
}

TEST_CASE("segments of exact times are found again") {
  const auto found = alpha_beta_segments(sampled(kThree, 0));
  REQUIRE(found.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(found[k].alpha.value == Approx(kThree[k].alpha.value).epsilon(1e-6));
    CHECK(found[k].beta == Approx(kThree[k].beta).epsilon(1e-6));
    CHECK(std::abs(std::log2(found[k].from / kThree[k].from)) < 1);  // between the sizes around the break
  }
}

TEST_CASE("segments are found through five per cent of noise") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto found = alpha_beta_segments(sampled(kThree, 0.05, seed));
    CHECK(found.front().alpha.value == Approx(20e-6).epsilon(0.1));
    CHECK(found.back().beta == Approx(5e-10).epsilon(0.15));
    CHECK(rises(found));
    for (const AlphaBetaSegment& segment : found) CHECK((segment.alpha >= Seconds(0) && segment.beta >= 0));
  }
}

TEST_CASE("one straight line is one segment, noise or not") {
  const std::vector<AlphaBetaSegment> line{{Bytes(64), microseconds(30), 1e-9}};
  CHECK(alpha_beta_segments(sampled(line, 0)).size() == 1);
  int single = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) single += alpha_beta_segments(sampled(line, 0.03, seed)).size() == 1;
  CHECK(single >= 16);
}

TEST_CASE("segments of wild times do not fall") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) CHECK(rises(alpha_beta_segments(sampled(kThree, 0.7, seed))));
}

TEST_CASE("too few points for two segments make one") {
  std::vector<PayloadTime> points{{Bytes(100), Seconds(2)}};
  CHECK(alpha_beta_segments(points) == std::vector<AlphaBetaSegment>{{Bytes(100), Seconds(0), 0.02}});
  points.push_back({Bytes(200), Seconds(3)});
  const auto two = alpha_beta_segments(points);
  REQUIRE(two.size() == 1);
  CHECK(two[0].alpha.value == Approx(1));
  CHECK(two[0].beta == Approx(0.01));
}

TEST_CASE("equal and falling times are level") {
  std::vector<PayloadTime> equal, falling;
  for (const double s : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    equal.push_back({Bytes(s), Seconds(3)});
    falling.push_back({Bytes(s), Seconds(3 / s)});
  }
  REQUIRE(alpha_beta_segments(equal).size() == 1);
  CHECK(alpha_beta_segments(equal)[0].alpha.value == Approx(3));
  CHECK(alpha_beta_segments(equal)[0].beta == Approx(0).margin(1e-12));
  CHECK(alpha_beta_segments(falling).size() == 1);
  CHECK(alpha_beta_segments(falling)[0].beta == 0);
}
