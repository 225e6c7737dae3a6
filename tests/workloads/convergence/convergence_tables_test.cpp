// The built-in tables of every benchmark against the figures published for them.
#include <cmath>
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/convergence/batch_law.hpp"
#include "workloads/convergence/convergence.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

double epochs(const std::string& benchmark, const std::string& recipe, double batch, int accelerators = 1) {
  return samples_to_target(benchmark, recipe, batch, accelerators).epochs;
}

BatchLaw fit(const std::string& benchmark, const std::string& recipe) {
  std::vector<WeightedPoint> points;
  for (const auto& p : convergence_table(benchmark).recipe(recipe).points)
    points.push_back({p.batch, p.epochs, p.weight});
  return fitted_batch_law(merged(points));
}

}  // namespace

TEST_CASE("every benchmark of MLPerf v0.5 to v1.0 and of MLBench has a convergence table") {
  const auto names = convergence_benchmarks();
  const std::set<std::string> known(names.begin(), names.end());
  for (const char* name : {"resnet", "ssd", "maskrcnn", "gnmt", "transformer", "bert", "dlrm", "minigo", "rnnt",
                           "unet3d", "resnet20", "logreg", "awd-lstm", "gnmt-mlbench", "transformer-mlbench"}) {
    INFO(name);
    CHECK(known.count(name) == 1);
  }
  for (const std::string& name : names) CHECK(convergence_table(name).benchmark == name);
}

TEST_CASE("tables give the published means at their batches") {
  // Weighted means of rows (runs) and reference points (a quarter of theirs), each summed by hand.
  CHECK(epochs("ssd", "v1.0-sgd", 4096) ==
        Approx((5 * 120 + 5 * 93 + 37 / 4. * 87.027) / (10 + 37 / 4.)).epsilon(1e-4));
  CHECK(epochs("ssd", "v0.6-sgd-gpu", 1680) == Approx(63));
  CHECK(epochs("maskrcnn", "v1.0-sgd", 192) == Approx(16));
  CHECK(epochs("gnmt", "v0.6-adam-gpu", 16384) == Approx(9.2));
  CHECK(epochs("gnmt", "v0.7-adam-tpu", 4096) == Approx(5.95));
  CHECK(epochs("bert", "v0.7-lamb", 5120) == Approx(4.50048));
  CHECK(epochs("dlrm", "v0.7-sgd", 71680) == Approx((5 * 0.9999 + 5 * 0.9899 + 6 * 0.99792) / 16).epsilon(1e-4));
  CHECK(epochs("rnnt", "v1.0-lamb", 3072) == Approx(69.6));
}

TEST_CASE("reference points of DLRM count the fraction beyond the first epoch") {
  for (const auto& p : convergence_table("dlrm").recipe("v0.7-sgd").points) CHECK(p.epochs <= 1);
}

TEST_CASE("recipes that differ in their clock share points and differ in the corpus they count") {
  const auto first = samples_to_target("gnmt", "v0.6-adam-tpu", 8192),
             later = samples_to_target("gnmt", "v0.7-adam-tpu", 8192);
  CHECK(first.epochs == later.epochs);
  CHECK(first.samples / later.samples == Approx(3975116. / 3442299));
}

TEST_CASE("a batch in sentence pairs finds its point in tokens or packed sequences") {
  // 31.54 tokens a padded pair: 3000 pairs are 94 620 tokens; 28.8 of 256 tokens a pair: 4551 pairs are 512 sequences.
  CHECK(epochs("transformer", "v0.6-adam-gpu", 614400 / 31.54) == Approx(5.0));
  CHECK(samples_to_target("transformer", "v0.6-adam-gpu", 3000).position == Position::inside);
  CHECK(epochs("transformer", "v0.6-adam-tpu", 512 / 0.1125) == Approx((2.2 + 2.3 + 2.4) / 3));
  CHECK(epochs("transformer", "v0.7-adam-tpu", 512 / 0.1125) == Approx(3.25));
  const auto& recipe = convergence_table("transformer").recipe("v0.6-adam-gpu");
  CHECK(recipe.batch_unit == "tokens");
  CHECK(recipe.batch_unit_source.provenance == Provenance::published);
}

TEST_CASE("fits agree with the parameters published for the other tables") {
  // Emin and Bcrit of the fit to each table, found by another program (scipy least squares, soft L1).
  const auto check = [](const char* benchmark, const char* recipe, double lowest, double critical) {
    INFO(benchmark << " " << recipe);
    CHECK(fit(benchmark, recipe).lowest == Approx(lowest).epsilon(0.03));
    CHECK(fit(benchmark, recipe).critical == Approx(critical).epsilon(0.12));
  };
  check("ssd", "v0.6-sgd-gpu", 35.8, 2207);
  check("gnmt", "v0.6-adam-gpu", 3.27, 9214);
  check("transformer", "v0.6-adam-gpu", 2.79, 879000 / 31.54);
  check("bert", "v1.0-lamb-reference", 2.345, 13000);
  check("maskrcnn", "v0.6-sgd", 12.65, 724);
}

TEST_CASE("MiniGo is looked up by accelerators and not by batch") {
  CHECK(epochs("minigo", "v0.7-sgd", 4096, 256) == Approx((50.9 + 52) / 2));
  CHECK(epochs("minigo", "v0.7-sgd", 64, 256) == epochs("minigo", "v0.7-sgd", 65536, 256));
  CHECK(epochs("minigo", "v0.7-sgd", 4096, 4) < epochs("minigo", "v0.7-sgd", 4096, 512));
  CHECK_THROWS_WITH(samples_to_target("minigo", "v0.7-sgd", 4096, 4096),
                    ContainsSubstring("number of accelerators of 4 096"));
  CHECK_THROWS_AS(samples_to_target("minigo", "v0.7-sgd", 4096, 0), InputError);
  CHECK(largest_known_batch("minigo", "v0.7-sgd") == 4096);
}

TEST_CASE("an iteration of MiniGo evaluates a quarter of a thousand million positions") {
  const SelfPlay& play = *convergence_table("minigo").recipe("v0.7-sgd").self_play;
  // A quarter of the moves with 800 readouts, the others with 80: 260 a move, 42.5 % of them taken over.
  CHECK(play.positions_per_iteration() == Approx(8192. * 213 * 260 * 0.575));
  // What is trained on is the full moves that pass the filter, five generations long.
  const double generation = 8192 * 213 * 0.25 * 0.3;
  CHECK(convergence_table("minigo").recipe("v0.7-sgd").samples_per_epoch == Approx(5 * generation).epsilon(0.01));
}

TEST_CASE("MLBench's tables follow the laws and targets of its tasks") {
  CHECK(convergence_table("resnet20").recipe("1a-momentum").target == "80 % top-1");
  // E(N) = E0 (1 + N/3.6) at 128 a rank: 16 ranks need 4.26 times the epochs of one.
  CHECK(epochs("resnet20", "1a-momentum", 2048) / epochs("resnet20", "1a-momentum", 128) ==
        Approx((1 + 16 / 3.59375) / (1 + 1 / 3.59375)));
  // 1 + (N/20)^2.3: about three and three quarters times at 32 ranks, nothing at one.
  CHECK(epochs("logreg", "2a-sgd", 32 * 128) / 5.75 == Approx(1 + std::pow(1.6, 2.3)));
  CHECK(epochs("logreg", "2a-sgd", 128) == Approx(5.75).epsilon(0.002));
  CHECK(epochs("gnmt-mlbench", "4a-adam", 2048) == 6);
  CHECK(epochs("transformer-mlbench", "4b-adam", 131072 / 30.) == Approx(3.07));
  for (const char* name : {"logreg", "awd-lstm", "gnmt-mlbench", "transformer-mlbench"}) {
    INFO(name);
    CHECK(convergence_table(name).recipes[0].source.provenance == Provenance::assumed);
    CHECK(convergence_table(name).run_spread >= 0.2);
  }
}

TEST_CASE("a given law warns above the batch it is known for and is refused far above it") {
  CHECK(samples_to_target("logreg", "2a-sgd", 4096).position == Position::inside);
  CHECK(samples_to_target("logreg", "2a-sgd", 8192).warnings.size() == 1);
  CHECK_THROWS_AS(samples_to_target("logreg", "2a-sgd", 4096 * 5.1), Infeasible);
}

TEST_CASE("away from the one batch that a recipe knows the interval is wide") {
  CHECK(samples_to_target("gnmt-mlbench", "4a-adam", 1024).log_spread >
        samples_to_target("gnmt-mlbench", "4a-adam", 2048).log_spread + 0.1);
}

TEST_CASE("the optimizer stands in every recipe's name of MLPerf") {
  for (const char* name : {"ssd", "maskrcnn", "gnmt", "transformer", "bert", "dlrm", "minigo", "rnnt", "unet3d"})
    for (const Recipe& recipe : recipes(name)) {
      INFO(name << " " << recipe.name);
      bool named = false;
      for (const char* optimizer : {"-sgd", "-adam", "-lamb", "-lars"})
        named = named || recipe.name.find(optimizer) != std::string::npos;
      CHECK(named);
      CHECK(recipe.name[0] == 'v');
    }
}

TEST_CASE("a result's submitter is the second word of its source and a reference point has none") {
  for (const ConvergencePoint& p : convergence_table("ssd").recipe("v0.7-sgd-gpu").points) {
    if (p.reference) {
      CHECK(p.submitter().empty());
    } else if (p.source.find("NVIDIA") != std::string::npos) {
      CHECK(p.submitter() == "nvidia");
    }
  }
}
