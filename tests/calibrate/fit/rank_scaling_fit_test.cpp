#include "calibrate/fit/rank_scaling_fit.hpp"

#include <cmath>

#include "calibrate/fit/collective_fit.hpp"
#include "calibrate/fit/fit.hpp"
#include "catch.hpp"
#include "core/profile/rank_scaling.hpp"
#include "costs/collective_time.hpp"
#include "noise.hpp"
#include "published_sweeps.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

RankScaling truth_of(RankScaling::Latency latency, CollectiveKind kind = CollectiveKind::all_reduce) {
  RankScaling truth;
  truth.kind = kind;
  truth.latency = latency;
  truth.fixed = microseconds(40);
  truth.segments = {{Bytes(8), microseconds(10), 2e-10}, {Bytes(1 << 18), microseconds(60), 1e-9}};
  return truth;
}

CollectiveCurve measured(const RankScaling& truth, int nodes, double sigma, const std::string& library = "other") {
  Noise noise(static_cast<std::uint64_t>(nodes), sigma);
  CollectiveSweep sweep;
  sweep.kind = truth.kind;
  sweep.communicator = library;
  sweep.nodes = nodes;
  for (double s = 8; s <= 1 << 28; s *= 2) {
    const Seconds time = scaled_time(truth, nodes, Bytes(s)) * noise.factor();
    sweep.points.push_back({Bytes(s), {time, time, time, 1, 0}, {}});
  }
  return fit_collective(sweep, {1, 0, 0});
}

std::vector<CollectiveCurve> task0(const std::string& library, const std::string& device, Precision precision) {
  std::vector<CollectiveCurve> curves;
  for (const int nodes : {2, 4})
    curves.push_back(fit_collective(task0_sweep(library, device, precision, nodes), {1, 0, 0}));
  return curves;
}

}  // namespace

TEST_CASE("the law of the ranks is found again and foretells four times as many") {
  for (const auto latency : {RankScaling::Latency::ring, RankScaling::Latency::log2}) {
    for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::broadcast}) {
      const RankScaling truth = truth_of(latency, kind);
      const auto laws =
          fit_rank_scaling({measured(truth, 2, 0.01), measured(truth, 4, 0.01), measured(truth, 8, 0.01)});
      REQUIRE(laws.size() == 2);
      const RankScaling& law = laws[0];  // the better fit, as the library is not known
      CHECK(law.latency == latency);
      CHECK(laws[1].latency != latency);
      CHECK(law.nodes == std::vector{2, 4, 8});
      CHECK(law.residual.p90 < 0.03);
      CHECK(law.held_back.p90 < 0.1);
      CHECK(law.held_back.count == 26);
      for (const double s : {64.0, 65536.0, 67108864.0}) {
        const double foretold = scaled_time(law, 32, Bytes(s)).value;
        CHECK(foretold == Approx(scaled_time(truth, 32, Bytes(s)).value).epsilon(0.1));
      }
    }
  }
}

TEST_CASE("constants of exact times are exact") {
  const RankScaling truth = truth_of(RankScaling::Latency::ring);
  const RankScaling law = fit_rank_scaling({measured(truth, 2, 0), measured(truth, 6, 0)}).at(0);
  CHECK(law.fixed.value == Approx(40e-6).epsilon(1e-3));
  REQUIRE(law.segments.size() == 2);
  CHECK(law.segments[0].alpha.value == Approx(10e-6).epsilon(1e-3));
  CHECK(law.segments[1].beta == Approx(1e-9).epsilon(1e-3));
}

TEST_CASE("the law of the ranks rises with the payload") {
  for (int nodes = 2; nodes < 200; nodes = nodes * 3 / 2 + 1) {
    const RankScaling truth = truth_of(RankScaling::Latency::log2);
    const RankScaling law = fit_rank_scaling({measured(truth, 2, 0.4), measured(truth, 4, 0.4)}).at(0);
    Seconds last;
    for (double s = 1; s <= 1 << 29; s *= 1.1) {
      const Seconds now = scaled_time(law, nodes, Bytes(s));
      CHECK(now >= last * (1 - 1e-12));
      last = now;
    }
  }
}

TEST_CASE("a library's own algorithm comes first, whichever fits better") {
  const RankScaling truth = truth_of(RankScaling::Latency::log2);
  const auto first = [&](const std::string& library, const std::string& device) {
    auto two = measured(truth, 2, 0, library), four = measured(truth, 4, 0, library);
    two.device = four.device = device;
    return fit_rank_scaling({two, four}).at(0).latency;
  };
  CHECK(first("gloo", "cpu") == RankScaling::Latency::ring);
  CHECK(first("gloo", "cuda") == RankScaling::Latency::log2);
  CHECK(first("mpi", "cpu") == RankScaling::Latency::log2);
  CHECK(first("nccl", "cuda") == RankScaling::Latency::ring);
}

TEST_CASE("one number of nodes, one rank and point to point have no law of the ranks") {
  const RankScaling truth = truth_of(RankScaling::Latency::ring);
  CHECK(fit_rank_scaling({}).empty());
  CHECK(fit_rank_scaling({measured(truth, 2, 0)}).empty());
  auto one = measured(truth, 2, 0);
  one.nodes = 1;
  CHECK(fit_rank_scaling({measured(truth, 2, 0), one}).empty());
  auto two = measured(truth, 2, 0), four = measured(truth, 4, 0);
  two.kind = four.kind = CollectiveKind::send_receive;
  CHECK(fit_rank_scaling({two, four}).empty());
}

// The study's table of joint fits to 2 and 4 nodes and of 4 nodes foretold from 2, in per cent: within two points of it
// for the fits, within four for what is foretold.
TEST_CASE("MLBench's task 0 scales in its ranks as the study of it found") {
  struct Series {
    std::string communicator, device;
    Precision precision;
    double median, p90, foretold;
  };
  for (const Series& s : {Series{"gloo", "cpu", Precision::fp16, 4, 10, 9},
                          {"gloo", "cpu", Precision::fp32, 6, 15, 8},
                          {"gloo", "cuda", Precision::fp16, 3, 9, 4},
                          {"gloo", "cuda", Precision::fp32, 4, 13, 5},
                          {"mpi", "cpu", Precision::fp32, 9, 24, 14},
                          {"mpi", "cuda", Precision::fp32, 8, 21, 38},
                          {"nccl", "cuda", Precision::fp16, 8, 18, 40},
                          {"nccl", "cuda", Precision::fp32, 6, 16, 38}}) {
    CAPTURE(s.communicator, s.device, s.precision);
    const RankScaling law = fit_rank_scaling(task0(s.communicator, s.device, s.precision)).at(0);
    CHECK(100 * law.residual.median < s.median + 2);
    CHECK(100 * law.residual.p90 < s.p90 + 2.5);
    CHECK(100 * law.held_back.median < s.foretold + 5);
  }
}
