#include "workloads/convergence/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/oracles/workloads/sampled_epochs.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

struct Moments {
  double mean = 0, log_spread = 0;
};

Moments moments(const std::vector<double>& runs) {
  const double n = static_cast<double>(runs.size());
  Moments m;
  m.mean = std::accumulate(runs.begin(), runs.end(), 0.0) / n;
  double log_mean = 0, square = 0;
  for (double x : runs) log_mean += std::log(x) / n;
  for (double x : runs) square += std::pow(std::log(x) - log_mean, 2) / n;
  m.log_spread = std::sqrt(square);
  return m;
}

std::vector<double> runs_of(const std::string& benchmark, const std::string& recipe, double batch, int count,
                            std::uint64_t seed = 7) {
  const ConvergenceTable& table = convergence_table(benchmark);
  return sampled_epochs(table, table.recipe(recipe), batch, count, seed);
}

ConvergenceTable gridless(double spread) {
  ConvergenceTable table;
  table.run_spread = spread;
  Recipe recipe;
  recipe.name = "only";
  recipe.samples_per_epoch = 1;
  recipe.points = {{64, 10, 1, false, "s"}};
  table.recipes.push_back(recipe);
  return table;
}

}  // namespace

TEST_CASE("the normal quantile inverts the normal distribution") {
  for (double x : {-5., -2.5, -1., 0., 0.3, 1.645, 3., 6.}) {
    const double share = 0.5 * std::erfc(-x / std::sqrt(2.0));
    CHECK(normal_quantile(share) == Approx(x).margin(1e-7));  // near 1 a share has few digits left
  }
  CHECK_THROWS_AS(normal_quantile(0), InputError);
  CHECK_THROWS_AS(normal_quantile(1), InputError);
}

TEST_CASE("runs spread about the law with the benchmark's run-to-run spread") {
  const auto table = gridless(0.28);
  const Moments m = moments(sampled_epochs(table, table.recipes[0], 64, 20000, 1));
  CHECK(m.mean == Approx(10).epsilon(0.01));
  CHECK(m.log_spread == Approx(0.28).epsilon(0.02));
}

TEST_CASE("runs of 3D U-Net end every 20 epochs about the mean of all results") {
  const auto runs = runs_of("unet3d", "v1.0-sgd", 56, 4000);
  for (double x : runs) CHECK(std::fmod(x, 20) == Approx(0).margin(1e-9));
  CHECK(moments(runs).mean == Approx(samples_to_target("unet3d", "v1.0-sgd", 56).epochs).epsilon(0.02));
  CHECK(moments(runs).log_spread == Approx(0.28).epsilon(0.05));
}

TEST_CASE("runs of ResNet end on a grid that is tuned to the law") {
  const auto runs = runs_of("resnet", "v0.7-lars-mxnet", 33280, 2000);
  // One sigma is 1.1 epochs and the grid 4, so nearly all runs end at the tuned 56.
  for (double x : runs) CHECK(std::fmod(std::abs(x - 56), 4) == Approx(0).margin(1e-9));
  CHECK(std::count(runs.begin(), runs.end(), 56.0) > 1800);
}

TEST_CASE("runs of BERT end on the evaluations of their batch") {
  for (double x : runs_of("bert", "v1.0-lamb", 3072, 500)) {
    const double evaluations = x * 1e6 / 175000;
    CHECK(evaluations == Approx(std::round(evaluations)).margin(1e-6));
  }
}

TEST_CASE("quantiles rise, and nine runs in ten lie between the outer twentieths") {
  const ConvergenceTable& table = convergence_table("gnmt");
  const Recipe& recipe = table.recipe("v0.6-adam-gpu");
  const auto at = [&](double share) { return epochs_quantile(table, recipe, 16384, share); };
  CHECK(at(0.05) <= at(0.5));
  CHECK(at(0.5) <= at(0.95));
  CHECK(at(0.05) == 8);   // 9.2 exp(-1.645 x .085 - .0036) = 7.97
  CHECK(at(0.95) == 11);  // 9.2 exp(1.645 x .085 - .0036) = 10.54
  const auto runs = runs_of("gnmt", "v0.6-adam-gpu", 16384, 2000);
  const auto inside = std::count_if(runs.begin(), runs.end(), [](double x) { return x >= 8 && x <= 11; });
  CHECK(inside > 1800);
}

TEST_CASE("equal seeds give equal runs and other seeds others") {
  CHECK(runs_of("unet3d", "v1.0-sgd", 56, 50, 3) == runs_of("unet3d", "v1.0-sgd", 56, 50, 3));
  CHECK(runs_of("unet3d", "v1.0-sgd", 56, 50, 3) != runs_of("unet3d", "v1.0-sgd", 56, 50, 4));
}

TEST_CASE("the first runs of seed 1 are these on every platform") {
  // The first draw is 2 469 588 189 546 311 528 of 2^64, a share of 0.13388, so 10 exp(-1.1084 x 0.1 - 0.005).
  const auto table = gridless(0.1);
  std::vector<std::string> text;
  for (double x : sampled_epochs(table, table.recipes[0], 64, 3, 1)) text.push_back(std::to_string(x));
  CHECK(text == std::vector<std::string>{"8.906310", "8.916690", "9.828890"});
}

TEST_CASE("a fixed schedule draws nothing") {
  for (double x : runs_of("resnet", "90-epochs", 8192, 20)) CHECK(x == 90);
}
