#include "core/profile/collective_curve.hpp"

#include "catch.hpp"
#include "core/profile/rank_scaling.hpp"
#include "costs/collective_time.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

CollectiveCurve straight() {
  CollectiveCurve curve;
  curve.nodes = 2;
  // Slope 1 in log-log: time proportional to payload.
  curve.knots = {{Bytes(100), Seconds(1), 1}, {Bytes(1000), Seconds(10), 1}};
  curve.tail = 0.02;
  return curve;
}

RankScaling two_segments(RankScaling::Latency latency) {
  RankScaling scaling;
  scaling.latency = latency;
  scaling.fixed = Seconds(5);
  scaling.segments = {{Bytes(1), Seconds(1), 0.1}, {Bytes(100), Seconds(10), 0.2}};
  return scaling;
}

}  // namespace

TEST_CASE("a curve follows its knots, holds its first time and goes on by its tail") {
  const CollectiveCurve curve = straight();
  CHECK(collective_time(curve, Bytes(1)) == Seconds(1));
  CHECK(collective_time(curve, Bytes(100)) == Seconds(1));
  CHECK(collective_time(curve, Bytes(250)).value == Approx(2.5));
  CHECK(collective_time(curve, Bytes(1000)) == Seconds(10));
  CHECK(collective_time(curve, Bytes(1500)).value == Approx(10 + 0.02 * 500));
}

TEST_CASE("a curve of one rank takes no time") {
  CollectiveCurve curve = straight();
  curve.nodes = 1;
  CHECK(collective_time(curve, Bytes(1000)) == Seconds(0));
}

TEST_CASE("a segment holds from its first payload on, the first one below it too") {
  const std::vector<AlphaBetaSegment> segments{{Bytes(10), Seconds(1), 0.1}, {Bytes(100), Seconds(10), 0.2}};
  CHECK(segment_time(segments, Bytes(1)).value == Approx(1.1));
  CHECK(segment_time(segments, Bytes(99)).value == Approx(10.9));
  CHECK(segment_time(segments, Bytes(100)).value == Approx(30));
}

TEST_CASE("where time would fall at a break it stays level at the geometric mean") {
  // 4 s before 100 B and 1 s from there on: level at 2 s from 50 B to 200 B.
  const auto level = monotone({{Bytes(1), Seconds(0), 0.04}, {Bytes(100), Seconds(0), 0.01}}, Bytes(1000));
  REQUIRE(level.size() == 3);
  CHECK(level[1].from.value == Approx(50));
  CHECK(level[1].alpha.value == Approx(2));
  CHECK(level[1].beta == 0);
  CHECK(level[2].from.value == Approx(200));
  CHECK(segment_time(level, Bytes(1000)).value == Approx(10));
}

TEST_CASE("rising segments stay as they are") {
  const std::vector<AlphaBetaSegment> segments{{Bytes(10), Seconds(1), 0.1}, {Bytes(100), Seconds(10), 0.2}};
  CHECK(monotone(segments, Bytes(1000)) == segments);
}

// 4 ranks: a ring takes 6 latencies, a tree 2, and an all-reduce moves 3/2 of the payload.
TEST_CASE("time over ranks is what is fixed, the latencies of the algorithm and the bytes on the wire") {
  CHECK(scaled_time(two_segments(RankScaling::Latency::ring), 4, Bytes(10)).value == Approx(5 + 6 * 1 + 0.1 * 15));
  CHECK(scaled_time(two_segments(RankScaling::Latency::log2), 4, Bytes(10)).value == Approx(5 + 2 * 1 + 0.1 * 15));
  CHECK(scaled_time(two_segments(RankScaling::Latency::ring), 4, Bytes(200)).value == Approx(5 + 6 * 10 + 0.2 * 300));
  CHECK(scaled_time(two_segments(RankScaling::Latency::ring), 1, Bytes(10)) == Seconds(0));
}

// 2 ranks, factor 1: 4 s at the end of the first segment, 1 s at the start of the second, level at 2 s between.
TEST_CASE("time over ranks does not fall at a break") {
  RankScaling scaling = two_segments(RankScaling::Latency::log2);
  scaling.fixed = Seconds(0);
  scaling.segments = {{Bytes(1), Seconds(0), 0.04}, {Bytes(100), Seconds(0), 0.01}};
  CHECK(scaled_time(scaling, 2, Bytes(99)).value == Approx(2));
  CHECK(scaled_time(scaling, 2, Bytes(101)).value == Approx(2));
  CHECK(scaled_time(scaling, 2, Bytes(300)).value == Approx(3));
}
