#include "sim/evidence/step_difficulty.hpp"

#include <cmath>

#include "catch.hpp"
#include "core/quantile.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

TEST_CASE("a step is the harder the further it lies from linear, and the further stacks are apart") {
  StepDifficulty step{Footing::same_software, Seconds(1), 0, false};
  CHECK(log_difficulty(step, Seconds(1)) == Approx(0.15));
  CHECK(log_difficulty(step, Seconds(2)) == Approx(0.15 + std::log(2)));
  CHECK(log_difficulty(step, Seconds(0.5)) == Approx(0.15 + std::log(2)));
  step.log_apart = 0.6;
  CHECK(log_difficulty(step, Seconds(1)) == Approx(0.75));
  step.footing = Footing::other_software;
  CHECK(log_difficulty(step, Seconds(1)) == Approx(1.6));
}

TEST_CASE("without a run a curve is as good as another, and the bare roofline twice as hard") {
  StepDifficulty step;
  CHECK(log_difficulty(step, Seconds(1)) == 1);
  step.bare_roofline = true;
  CHECK(log_difficulty(step, Seconds(1)) == 2);
}

TEST_CASE("a step is the harder where nobody measured the products of its chip") {
  StepDifficulty step;
  step.footing = Footing::operators;
  step.log_pooled = 0.16;
  CHECK(log_difficulty(step, Seconds(1)) == Approx(1.16));
}

TEST_CASE("a step is the harder the more of it exchanges may take") {
  StepDifficulty step;
  step.footing = Footing::operators;
  step.log_exchanges = std::log(1.5);
  CHECK(log_difficulty(step, Seconds(1)) == Approx(1 + std::log(1.5)));
  step.linear = Seconds(1);  // its run exchanged, too
  CHECK(log_difficulty(step, Seconds(1)) == Approx(1));
}

TEST_CASE("the half-width of 90 % is the factor times the difficulty") {
  const StepDifficulty step{Footing::other_software, Seconds(1), 0, false};
  CHECK(kNormal95 * conformal_spread(step, Seconds(1)) == Approx(conformal_factor(Footing::other_software)));
}
