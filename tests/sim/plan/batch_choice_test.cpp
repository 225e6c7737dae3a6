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
StepPlan four_pairs(int micro_batches = 1) {
  StepPlan step;
  step.parallelism = data_parallel(4);
  step.parallelism[Axis::tensor] = 2;
  step.micro_batches = micro_batches;
  return step;
}

}  // namespace

TEST_CASE("a batch for each accelerator is that of all of them together, and none asked for is none") {
  PredictRequest request;
  CHECK_FALSE(asked_batch(request, four_pairs()));
  request.batch_per_accelerator = 3;
  CHECK(asked_batch(request, four_pairs())->size == 24);
  request.global_batch = 24;
  CHECK_THROWS_AS(asked_batch(request, four_pairs()), InputError);
}

TEST_CASE(
    "a global batch divides over those that share no samples, or is rounded to the nearest that does, which is said") {
  CHECK(asked_batch(global_request(12), four_pairs())->size == 12);
  CHECK(asked_batch(global_request(12), four_pairs())->note.empty());
  CHECK(asked_batch(global_request(10), four_pairs())->size == 8);
  CHECK(asked_batch(global_request(11), four_pairs())->size == 12);
  CHECK_THAT(asked_batch(global_request(11), four_pairs())->note,
             ContainsSubstring("11 does not divide over 4 groups of 2 accelerators: the nearest that does, 12"));
  CHECK_THROWS_WITH(asked_batch(global_request(3), four_pairs()), ContainsSubstring("4 is the least"));
  CHECK_THROWS_AS(asked_batch(global_request(1.5), four_pairs()), InputError);
}

TEST_CASE(
    "the usual batch is what fits in whole micro-batches, of images at most 256, a twentieth of the data at most") {
  Model model;
  model.dataset.train_samples = 80000;
  StepPlan step;
  step.parallelism = four_pairs().parallelism;
  CHECK(usual_batch(model, "", step, 100) == 4 * 100);
  CHECK(usual_batch(model, "", step, 2000) == 4 * 256);
  model.family = ModelFamily::transformer;
  CHECK(usual_batch(model, "", step, 2000) == 4000);
  model.dataset.train_samples = 60;
  CHECK(usual_batch(model, "", step, 2000) == 4);
  model.dataset.train_samples = 80000;
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

TEST_CASE("a batch that is asked for is rounded to whole micro-batches") {
  CHECK(asked_batch(global_request(24), four_pairs(3))->size == 24);
  CHECK(asked_batch(global_request(40), four_pairs(3))->size == 36);
  CHECK_THAT(asked_batch(global_request(40), four_pairs(3))->note, ContainsSubstring("in 3 micro-batches"));
}

TEST_CASE("a rank's batch divides into micro-batches, or the nearest that does is named") {
  const StepPlan step = four_pairs(3);
  CHECK(with_batch(step, 24).batch_per_accelerator == 6);
  CHECK_THROWS_WITH(with_batch(step, 16), ContainsSubstring("3 and 6 do, or into 2 micro-batches"));
}
