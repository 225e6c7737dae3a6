// The recipe of MLPerf's round.
#include "workloads/convergence/convergence.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

TEST_CASE("recipes and stacks name MLPerf's rounds") {
  CHECK(mlperf_round("mlperf-v0.7-pytorch") == 0.7);
  CHECK(mlperf_round("mlperf-v5.0") == 5.0);
  CHECK(mlperf_round("v1.1-lars-mxnet") == 1.1);
  CHECK_FALSE(mlperf_round("dle-mxnet"));
  CHECK_FALSE(mlperf_round("90-epochs"));
  CHECK_FALSE(mlperf_round(""));
}

TEST_CASE("the recipe of a round is the newest that is not later, of the usual code") {
  CHECK(recipe_of_round("maskrcnn", "gpu", 0.6) == "v0.6-sgd");
  CHECK(recipe_of_round("maskrcnn", "gpu", 0.7) == "v0.7-sgd");
  CHECK(recipe_of_round("maskrcnn", "gpu", 3.1) == "v1.0-sgd");
  CHECK(recipe_of_round("ssd", "gpu", 0.7) == "v0.7-sgd-gpu");
  CHECK(recipe_of_round("ssd", "gpu", 1.1) == "v1.0-sgd");
  CHECK(recipe_of_round("ssd", "tpu", 0.6) == "v0.6-sgd-tpu");
  CHECK(recipe_of_round("ssd", "tpu", 2.0) == "v0.7-sgd-tpu");  // nobody timed v1.0's on TPUs
  CHECK(recipe_of_round("resnet", "gpu", 2.1) == "v1.1-lars-mxnet");
  CHECK(recipe_of_round("resnet", "tpu", 2.0) == "v0.7-lars-tf");
  CHECK(recipe_of_round("resnet", "gpu", 0.6) == "v0.6-lars");
  CHECK(recipe_of_round("rnnt", "gpu", 1.0) == "v1.0-lamb");
  CHECK(recipe_of_round("rnnt", "gpu", 1.1) == "v1.1-lamb-reference");
}

TEST_CASE("a recipe may stand for later rounds than it is named by") {
  CHECK(recipe_of_round("bert", "gpu", 0.7) == "v0.7-lamb");
  CHECK(recipe_of_round("bert", "gpu", 1.1) == "v1.0-lamb");
  CHECK(recipe_of_round("bert", "gpu", 2.0) == "v1.0-lamb-reference");
  CHECK(recipe_of_round("bert", "tpu", 3.0) == "v1.0-lamb-reference");
}

TEST_CASE("before all rounds the default stays, and unknown families are refused") {
  CHECK(recipe_of_round("retinanet", "gpu", 0.5) == default_recipe("retinanet", "gpu"));
  CHECK(recipe_of_round("resnet20", "gpu", 2.0) == default_recipe("resnet20", "gpu"));
  CHECK_THROWS_AS(recipe_of_round("resnet", "gpus", 1.0), InputError);
}

}  // namespace
}  // namespace mlsim::workloads
