#include "sim/plan/batch_choice.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

PredictRequest global_request(double batch) {
  PredictRequest request;
  request.global_batch = batch;
  return request;
}

// Four groups of two accelerators that share their samples.
Parallelism four_pairs() {
  Parallelism parallelism = data_parallel(4);
  parallelism[Axis::tensor] = 2;
  return parallelism;
}

}  // namespace

TEST_CASE("a batch for each accelerator is that of all of them together, and none asked for is none") {
  PredictRequest request;
  CHECK_FALSE(asked_batch(request, four_pairs()));
  request.batch_per_accelerator = 3;
  CHECK(asked_batch(request, four_pairs()) == 24.0);
  request.global_batch = 24;
  CHECK_THROWS_AS(asked_batch(request, four_pairs()), InputError);
}

TEST_CASE("a global batch divides over those that share no samples, or names the nearest that does") {
  CHECK(asked_batch(global_request(12), four_pairs()) == 12.0);
  CHECK_THROWS_WITH(asked_batch(global_request(10), four_pairs()),
                    ContainsSubstring("4 groups of 2 accelerators") && ContainsSubstring("8 and 12 do"));
  CHECK_THROWS_AS(asked_batch(global_request(1.5), four_pairs()), InputError);
}

TEST_CASE("the usual batch is what fits in whole micro-batches, of images at most 256, at most one step an epoch") {
  Model model;
  model.dataset.train_samples = 4000;
  StepPlan step;
  step.parallelism = four_pairs();
  CHECK(usual_batch(model, "", step, 100) == 4 * 100);
  CHECK(usual_batch(model, "", step, 2000) == 4 * 256);
  model.family = ModelFamily::transformer;
  CHECK(usual_batch(model, "", step, 2000) == 4000);
  step.micro_batches = 32;
  CHECK(usual_batch(model, "", step, 100) == 4 * 96);
}

TEST_CASE("a recipe whose runs kept the samples a rank is asked with these, or with as many as fit") {
  Model model;
  model.family = ModelFamily::linear;
  model.benchmark = "logreg";
  model.dataset.train_samples = 400000;
  StepPlan step;
  for (const int ranks : {1, 8, 32}) {
    step.parallelism = data_parallel(ranks);
    CHECK(usual_batch(model, "2a-sgd", step, 100000) == 128 * ranks);
    CHECK(usual_batch(model, "2a-sgd", step, 100) == 100 * ranks);
  }
}

TEST_CASE("a rank's batch divides into micro-batches, or the nearest that does is named") {
  StepPlan step;
  step.parallelism = four_pairs();
  step.micro_batches = 3;
  CHECK(with_batch(step, 24).batch_per_accelerator == 6);
  CHECK_THROWS_WITH(with_batch(step, 16), ContainsSubstring("3 and 6 do, or into 2 micro-batches"));
}
