// Targets besides a recipe's own, and its learning rate.
#include "workloads/convergence/recipe_target.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/convergence/convergence.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a target is the number in its text, and a length is none") {
  CHECK(read_target("75.9 % top-1", {})->value == 75.9);
  CHECK(read_target("AUC 0.8025", {})->value == 0.8025);
  CHECK(read_target("37.7 % box and 33.9 % mask mAP", {})->value == 37.7);
  CHECK(read_target("cross-entropy loss 0.925", {})->loss);
  CHECK_FALSE(read_target("90 epochs", {}));
  CHECK_FALSE(read_target("half of the games against the target model won", {}));
}

TEST_CASE("a target goes to the usual recipe where that reaches it, else to another that does") {
  const ConvergenceTable& resnet = convergence_table("resnet");
  const Recipe& usual = resnet.recipe("v0.7-lars-tf");
  CHECK(recipe_to_target(resnet, usual, {75.9}).name == "v0.7-lars-tf");
  CHECK(recipe_to_target(resnet, usual, {74.9}).name == "v0.5-sgd");
  const Recipe& fixed = recipe_to_target(resnet, usual, {76});
  CHECK(samples_to_target(resnet, fixed, 32768).epochs == 90);  // "76 % top-1 within 90 epochs"
  CHECK_THROWS_WITH(recipe_to_target(resnet, usual, {77}), ContainsSubstring("76 % top-1 (90-epochs"));
  CHECK_THROWS_AS(recipe_to_target(resnet, usual, {75.9, true}), InputError);  // no loss
}

TEST_CASE("MLBench's loss of 0.2828 takes the epochs to 89 %") {
  const ConvergenceTable& table = convergence_table("logreg");
  const Recipe& recipe = table.recipe("2a-sgd");
  CHECK(reached(recipe, {0.2828, true}) != nullptr);
  CHECK(reached(recipe, {89}) != nullptr);
  CHECK(reached(recipe, {0.2828}) == nullptr);
}

TEST_CASE("a learning rate is that of the recipe, before or after its scaling") {
  const Recipe& linear = convergence_table("resnet20").recipe("1a-momentum");
  CHECK(linear.learning_rate->on(16) == Approx(0.32));
  CHECK_NOTHROW(check_learning_rate(linear, 0.02, 16));
  CHECK_NOTHROW(check_learning_rate(linear, 0.32, 16));
  CHECK_THROWS_AS(check_learning_rate(linear, 0.16, 16), InputError);
  CHECK(convergence_table("awd-lstm").recipe("3a-asgd").learning_rate->on(4) == Approx(60));
  CHECK_THROWS_AS(check_learning_rate(convergence_table("resnet").recipe("v0.6-lars"), 0.1, 8), InputError);
}
