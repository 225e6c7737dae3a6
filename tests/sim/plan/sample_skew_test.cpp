#include "sim/plan/step_choice.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.hpp"
#include "sim/answer/predict.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("sampled steps of ranks with unequal samples take as much longer as the skew says") {
  StepPlan four;
  four.parallelism = data_parallel(8);
  four.batch_per_accelerator = 4;
  std::mt19937_64 random(7);
  std::normal_distribution<double> sample(1, 0.3);
  double sum = 0;
  constexpr int kSteps = 20000;
  for (int step = 0; step < kSteps; ++step) {
    double slowest = 0;
    for (int rank = 0; rank < 8; ++rank) {
      double work = 0;
      for (int i = 0; i < 4; ++i) work += sample(random);
      slowest = std::max(slowest, work / 4);
    }
    sum += slowest;
  }
  CHECK(sum / kSteps == Approx(sample_skew(0.3, four)).epsilon(3e-3));
}

TEST_CASE("ranks wait for nobody where samples are alike, and one rank waits for nobody") {
  StepPlan eight;
  eight.parallelism = data_parallel(8);
  CHECK(sample_skew(0, eight) == 1);
  StepPlan padded = eight;
  padded.one_program = true;
  CHECK(sample_skew(0.3, padded) == 1);
  CHECK(sample_skew(0.3, StepPlan()) == 1);
}

TEST_CASE("the wait for the rank with the longest images stands apart in the breakdown") {
  PredictRequest request;
  request.topology = "dgx1-v100";
  request.workload = "mask-rcnn";
  request.batch_per_accelerator = 2;
  const Prediction box = predict(request);
  CHECK(box.step.straggler_wait > Seconds(0));
  request.accelerators = 1;
  CHECK(predict(request).step.straggler_wait == Seconds(0));
  const double skew = 1 + box.step.straggler_wait / box.step.compute;
  CHECK(skew == Approx(1 + 0.2 * 1.4236 / std::sqrt(2.0)).epsilon(1e-4));
}
