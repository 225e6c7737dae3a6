#include "sim/answer/answer_parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "catch.hpp"
#include "core/quantile.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "tests/oracles/largest_of_exponentials.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

PredictRequest question_on(const std::string& topology, const Settings& settings,
                           Fidelity fidelity = Fidelity::closed) {
  PredictRequest request;
  request.topology = topology;
  request.workload = "resnet50";
  request.batch_per_accelerator = 64;
  request.fidelity = fidelity;
  request.options = options_of(settings);
  return request;
}

// How much longer steps are in the mean, over how much longer they are where one known rank is slow by as much as order
// statistics expect of the slowest.
double against_order_statistics(const std::string& topology, const std::string& jitter, double slowest) {
  const Prediction drawn = predict(question_on(topology, {{"jitter", jitter}, {"straggler_steps", "1000"}}));
  const Prediction known = predict(question_on(topology, {{"slow_rank", fmt::format("0:{}", 1 / slowest)}}));
  const Seconds even = predict(question_on(topology, {})).step.time;
  CHECK(drawn.step.time == drawn.step_distribution->mean);
  CHECK(drawn.step_distribution->even == even);
  return (drawn.step.time - even) / (known.step.time - even);
}

}  // namespace

TEST_CASE("the mean step is that of the slowest rank which order statistics expect") {
  for (const auto& [topology, ranks] : std::vector<std::pair<std::string, int>>{
           {"torus4x2", 8}, {"torus8x8", 64}, {"torus16x16", 256}, {"torus32x32", 1024}}) {
    INFO(topology);
    CHECK(against_order_statistics(topology, "normal:0.02", 1 + 0.02 * largest_of_normals(ranks)) ==
          Approx(1).epsilon(0.05));
    CHECK(against_order_statistics(topology, "exponential:0.01", 1 + 0.01 * largest_of_exponentials(ranks)) ==
          Approx(1).epsilon(0.05));
  }
}

TEST_CASE("the tail lies above the mean, and what is longer is waiting for slow ranks") {
  const Prediction even = predict(question_on("torus8x8", {}));
  const Prediction p = predict(question_on("torus8x8", {{"jitter", "exponential:0.05"}}));
  REQUIRE(p.step_distribution);
  CHECK(p.step_distribution->steps == 200);
  CHECK(p.step_distribution->median < p.step_distribution->mean);  // of a maximum of exponentials
  CHECK(p.step_distribution->mean < p.step_distribution->p95);
  CHECK(p.step_distribution->p95 < p.step_distribution->p99);
  CHECK(p.step.straggler_wait.value ==
        Approx((p.step.time - even.step.time + even.step.straggler_wait).value).epsilon(1e-9));
  CHECK(p.throughput < even.throughput);
  CHECK_FALSE(even.step_distribution);
}

TEST_CASE("steps follow from the seed, and from nothing else that is random") {
  PredictRequest request = question_on("torus4x4", {{"jitter", "normal:0.05"}, {"speed_spread", "0.02"}});
  const Seconds first = predict(request).step.time;
  CHECK(predict(request).step.time == first);
  request.seed = 1;
  CHECK(predict(request).step.time != first);
}

TEST_CASE("chips of unequal speed give every step the same length") {
  const Prediction p = predict(question_on("torus8x8", {{"speed_spread", "0.03"}}));
  CHECK(p.step_distribution->p99.value == Approx(p.step_distribution->median.value));
  CHECK(p.step_distribution->mean > p.step_distribution->even);
}

TEST_CASE("late input delays a step by the latest host's delay") {
  const Prediction p =
      predict(question_on("torus4x4", {{"input_skew", "exponential:5 ms"}, {"straggler_steps", "2000"}}));
  // 16 chips are two hosts or more; the mean of the largest delay is that many harmonic terms of 5 ms.
  const double hosts = 1 + largest_of_exponentials(2);
  const double delay = (p.step_distribution->mean - p.step_distribution->even).value / 5e-3;
  CHECK(delay > 0.95 * hosts);
  CHECK(delay < 1.05 * (1 + largest_of_exponentials(16)));
}

TEST_CASE("message by message a ring absorbs no skew, and one that shares links absorbs some") {
  const auto of = [](const std::string& algorithm) {
    const Settings settings{
        {"jitter", "normal:0.1"}, {"straggler_steps", "5"}, {"algorithm", algorithm}, {"overlap", "off"}};
    return *predict(question_on("torus4x4", settings, Fidelity::message)).step_distribution;
  };
  // The last rank to join still has all rounds of a ring before it, each on links of its own.
  const StepDistribution ring = of("ring");
  CHECK(std::abs(ring.absorbed / (ring.mean - ring.even)) < 1e-6);
  // Partners of halving are far apart: while the last rank is not there, the others have its share of the links.
  const StepDistribution halving = of("halving-doubling");
  CHECK(halving.absorbed > 0.05 * (halving.mean - halving.even));
  CHECK(halving.mean > halving.even);
}
