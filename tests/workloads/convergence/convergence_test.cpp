#include "workloads/convergence/convergence.hpp"

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/convergence/batch_law.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

double epochs(const std::string& recipe, double batch) { return samples_to_target("resnet", recipe, batch).epochs; }

// A table of one recipe with the given points and law.
ConvergenceTable small_table(const std::string& points, const std::string& law = "isotonic") {
  return parse_convergence(
      Document::parse("benchmark: toy\ntitle: Toy\n"
                      "spread: {run_to_run: 0.03, between_submissions: 0.04, source: test}\n"
                      "defaults: {gpu: only}\npauses: []\nrecipes:\n"
                      "  - {name: only, title: t, target: t, samples_per_epoch: 1000, law: " +
                          law + ", clock_era: v0.6+, source: s, points: [" + points + "]}\n",
                      "toy.yaml"));
}

std::string point(int batch, double e, int runs = 5) {
  return "{batch: " + std::to_string(batch) + ", epochs: " + std::to_string(e) + ", runs: " + std::to_string(runs) +
         ", source: s},";
}

SamplesToTarget toy(const ConvergenceTable& table, double batch) {
  return samples_to_target(table, table.recipe("only"), batch);
}

}  // namespace

TEST_CASE("the MXNet LARS recipe needs the published 56 epochs at batch 33280") {
  const auto target = samples_to_target("resnet", "v0.7-lars-mxnet", 33280);
  CHECK(target.epochs == Approx(56));
  CHECK(target.samples == Approx(56 * 1281167.0));
  CHECK(target.position == Position::at_point);
  CHECK(target.recipe == "v0.7-lars-mxnet");
  CHECK(target.warnings.empty());
}

TEST_CASE("results weigh their runs and reference points a quarter of theirs") {
  // 8192: 42.8, 47 and 42 of five runs each, a reference point of 42 with ten runs.
  CHECK(epochs("v0.7-lars-tf", 8192) == Approx((5 * (42.8 + 47 + 42) + 2.5 * 42) / 17.5));
  CHECK(epochs("v0.7-lars-tf", 32768) == Approx((5 * (64 + 56) + 2.5 * 56) / 12.5));
  CHECK(epochs("v0.5-sgd", 1024) == Approx(60.9));
  CHECK(epochs("v0.6-lars", 32768) == Approx(74.4));
}

TEST_CASE("a point within 1.5 % of the batch answers for it, one beyond does not") {
  CHECK(epochs("v0.7-lars-mxnet", 33280 * 1.014) == Approx(56));
  CHECK(samples_to_target("resnet", "v0.7-lars-mxnet", 33280 * 1.03).position == Position::inside);
}

TEST_CASE("between points the epochs are linear in the batch") {
  // 13056: 45.0 and 33280: 56 epochs; 40 % of the way is 21145.6.
  const double at_13056 = (5 * 45 + 4 * 44.75 + 2.5 * 45.4) / 11.5;
  const double batch = 13056 + 0.4 * (33280 - 13056);
  const auto target = samples_to_target("resnet", "v0.7-lars-mxnet", batch);
  CHECK(target.epochs == Approx(at_13056 + 0.4 * (56 - at_13056)));
  CHECK(target.position == Position::inside);
}

TEST_CASE("below the data the smallest batch's epochs hold") {
  const auto target = samples_to_target("resnet", "v0.6-lars", 256);
  CHECK(target.epochs == Approx(59.2));
  CHECK(target.position == Position::below);
}

TEST_CASE("above the data the batch law passes through the last two points and never falls below the curve") {
  // E = 10 (1 + B/1000) exactly: the law must continue it.
  const auto table = small_table(point(500, 15) + point(1000, 20) + point(2000, 30));
  CHECK(toy(table, 4000).epochs == Approx(50).epsilon(0.01));
  const auto flat = small_table(point(500, 40) + point(1000, 39) + point(2000, 40));
  CHECK(toy(flat, 4000).epochs >= 40);
  CHECK(toy(flat, 4000).epochs < 41);
}

TEST_CASE("extrapolation warns from 1.5 times the largest batch and is refused beyond 5 times") {
  CHECK(samples_to_target("resnet", "v0.6-lars", 32768 * 1.45).warnings.empty());
  CHECK(samples_to_target("resnet", "v0.6-lars", 32768 * 1.6).warnings.size() == 1);
  CHECK_NOTHROW(samples_to_target("resnet", "v0.6-lars", 32768 * 5.0));
  CHECK_THROWS_WITH(samples_to_target("resnet", "v0.6-lars", 32768 * 5.1), ContainsSubstring("163 840"));
  CHECK_THROWS_AS(samples_to_target("resnet", "v0.6-lars", 32768 * 5.1), Infeasible);
}

TEST_CASE("the spread grows with the distance from the data") {
  const auto spread = [](double batch) { return samples_to_target("resnet", "v0.6-lars", batch).log_spread; };
  // at a point: run to run .02 (one run, ten behind the point), submissions .015, position .015.
  CHECK(spread(32768) == Approx(std::sqrt(0.02 * 0.02 * 1.1 + 0.015 * 0.015 + 0.015 * 0.015)));
  CHECK(spread(8192) == Approx(std::sqrt(0.02 * 0.02 * 1.1 + 0.015 * 0.015 + 0.08 * 0.08)));
  CHECK(spread(32768) < spread(8192));
  CHECK(spread(8192) < spread(40000));
  CHECK(spread(40000) < spread(60000));
  CHECK(spread(60000) < spread(150000));
}

TEST_CASE("pool adjacent violators averages neighbours that fall") {
  const auto curve = isotonic(merged({{1, 10, 1}, {2, 30, 1}, {3, 20, 3}, {4, 40, 1}}));
  CHECK(curve[0].y == 10);
  CHECK(curve[1].y == Approx(22.5));
  CHECK(curve[2].y == Approx(22.5));
  CHECK(curve[3].y == 40);
}

TEST_CASE("the batch law recovers the parameters it was made with and withstands an outlier") {
  std::vector<WeightedPoint> points;
  for (double b : {512., 1024., 2048., 4096., 8192., 16384.}) points.push_back({b, 30 * (1 + b / 5000), 1});
  const BatchLaw law = fitted_batch_law(points);
  CHECK(law.lowest == Approx(30).epsilon(0.01));
  CHECK(law.critical == Approx(5000).epsilon(0.02));
  points[1].y *= 1.5;
  CHECK(fitted_batch_law(points)(65536) == Approx(30 * (1 + 65536 / 5000.)).epsilon(0.15));
}

TEST_CASE("fits agree with the parameters published for the MLPerf tables") {
  const auto fit = [](const std::string& name) {
    std::vector<WeightedPoint> points;
    for (const auto& p : convergence_table("resnet").recipe(name).points)
      points.push_back({p.batch, p.epochs, p.weight});
    return fitted_batch_law(merged(points));
  };
  CHECK(fit("v0.5-sgd").lowest == Approx(59.8).epsilon(0.01));
  CHECK(fit("v0.5-sgd").critical == Approx(55600).epsilon(0.05));
  CHECK(fit("v0.6-lars").lowest == Approx(58.6).epsilon(0.01));
  CHECK(fit("v0.6-lars").critical == Approx(123500).epsilon(0.05));
  CHECK(fit("v0.7-lars-mxnet").lowest == Approx(33.5).epsilon(0.03));
  CHECK(fit("v0.7-lars-mxnet").critical == Approx(45300).epsilon(0.05));
  CHECK(fit("v0.7-lars-tf").lowest == Approx(36.6).epsilon(0.03));
  CHECK(fit("v0.7-lars-tf").critical == Approx(50500).epsilon(0.05));
}

TEST_CASE("left out, an interior batch of the recipes is predicted within a few per cent") {
  std::vector<double> errors;
  for (const Recipe& recipe : recipes("resnet")) {
    if (recipe.exact) continue;
    std::vector<WeightedPoint> points;
    for (const auto& p : recipe.points) points.push_back({p.batch, p.epochs, p.weight});
    points = merged(points);
    for (std::size_t left_out = 1; left_out + 1 < points.size(); ++left_out) {
      // Every row within 3 % of the batch goes, as a neighbour of the same system would give the answer away.
      std::string text;
      for (const auto& p : recipe.points)
        if (std::abs(p.batch / points[left_out].x - 1) > 0.03)
          text +=
              "{batch: " + std::to_string(p.batch) + ", epochs: " + std::to_string(p.epochs) + ", runs: 5, source: s},";
      const auto table = small_table(text);
      errors.push_back(std::abs(toy(table, points[left_out].x).epochs / points[left_out].y - 1));
    }
  }
  std::sort(errors.begin(), errors.end());
  const double median = errors[errors.size() / 2];
  INFO("interior batches " << errors.size() << ", median " << median << ", largest " << errors.back());
  CHECK(errors.size() > 20);
  CHECK(median < 0.04);
  CHECK(errors[errors.size() * 9 / 10] < 0.15);
}

TEST_CASE("a constant law gives the weighted mean at any batch") {
  const auto table = small_table(point(56, 2213) + point(80, 1619) + point(84, 2233, 10), "constant");
  CHECK(toy(table, 56).epochs == Approx((2213 + 1619 + 2 * 2233) / 4.0));
  CHECK(toy(table, 100000).epochs == toy(table, 56).epochs);
}

TEST_CASE("a fixed schedule of 90 epochs has no spread and no limit") {
  const auto target = samples_to_target("resnet", "90-epochs", 256);
  CHECK(target.epochs == 90);
  CHECK(target.log_spread == 0);
}

TEST_CASE("each accelerator family has a default recipe with known batches") {
  CHECK(default_recipe("resnet", "tpu") == "v0.7-lars-tf");
  CHECK(default_recipe("resnet", "gpu") == "v0.7-lars-mxnet");
  CHECK(largest_known_batch("resnet", "v0.7-lars-tf") == 65536);
  for (const std::string& benchmark : convergence_benchmarks())
    for (const std::string family : {"tpu", "gpu", "cpu"}) {
      INFO(benchmark << " on " << family);
      const std::string recipe = default_recipe(benchmark, family);
      CHECK(samples_to_target(benchmark, recipe, largest_known_batch(benchmark, recipe), 64).samples > 0);
    }
}

TEST_CASE("unknown benchmarks, recipes and families are answered with the nearest name") {
  CHECK_THROWS_WITH(samples_to_target("resnet", "v0.7-lars-mxnt", 1024),
                    ContainsSubstring("did you mean \"v0.7-lars-mxnet\""));
  CHECK_THROWS_WITH(recipes("resnets"), ContainsSubstring("did you mean \"resnet\""));
  CHECK_THROWS_AS(default_recipe("resnet", "tpus"), InputError);
  CHECK_THROWS_AS(samples_to_target("resnet", "v0.6-lars", 0), InputError);
  CHECK_THROWS_AS(samples_to_target("resnet", "v0.6-lars", std::nan("")), InputError);
}

TEST_CASE("a table with a mistake is refused at its line") {
  CHECK_THROWS_WITH(small_table("{batch: 0, epochs: 5, runs: 5, source: s}"), ContainsSubstring("toy.yaml:7"));
  CHECK_THROWS_WITH(small_table("{batch: 8, epochs: 5, source: s}"),
                    ContainsSubstring("either runs or reference_runs"));
  CHECK_THROWS_WITH(small_table("{batch: 8, epoch: 5, runs: 1, source: s}"),
                    ContainsSubstring("did you mean \"epochs\""));
  CHECK_THROWS_WITH(small_table(""), ContainsSubstring("at least one point"));
  CHECK_THROWS_WITH(small_table(point(8, 5), "isotone"), ContainsSubstring("isotonic"));
  CHECK_THROWS_WITH(small_table(point(16, 5) + point(8, 5)), ContainsSubstring("in order of their batch"));
  CHECK_THROWS_WITH(small_table(point(8, -5)), ContainsSubstring("above 0"));
}
