// Mistakes in convergence files: each is refused at its line with the nearest right word.
#include "catch.hpp"
#include "workloads/convergence/convergence.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// A file of one recipe with the given lines in it; "recipe" is line 7.
ConvergenceTable table(const std::string& recipe, const std::string& pauses = "[]", const std::string& more = "") {
  return parse_convergence(Document::parse(
      "benchmark: toy\ntitle: Toy\nspread: {run_to_run: 0.03, between_submissions: 0.04, source: test}\n"
      "defaults: {gpu: only}\npauses: " +
          pauses +
          "\nrecipes:\n  - {name: only, title: t, target: t, samples_per_epoch: 1000, clock_era: v1, source: s, " +
          recipe + "}\n" + more,
      "toy.yaml"));
}

const std::string kPoints = "points: [{batch: 64, epochs: 5, runs: 1, source: s}]";

}  // namespace

TEST_CASE("a law with its parameters stands alone") {
  const auto given = table("law: {lowest: 10, critical: 100, exponent: 2, up_to: 1000}");
  CHECK(samples_to_target(given, given.recipes[0], 200).epochs == Approx(10 * (1 + 4.)));
  CHECK_THROWS_WITH(table("law: {lowest: 10, critical: 100, up_to: 10}, " + kPoints),
                    ContainsSubstring("needs one of"));
  CHECK_THROWS_WITH(table("law: {lowest: 10, critical: 0, up_to: 10}"), ContainsSubstring("above 0"));
  CHECK_THROWS_WITH(table("law: {lowest: 10, criticl: 5, up_to: 10}"), ContainsSubstring("did you mean \"critical\""));
  CHECK_THROWS_WITH(table("law: constnt, " + kPoints), ContainsSubstring("did you mean \"constant\""));
  CHECK_THROWS_WITH(table("law: isotonic"), ContainsSubstring("needs one of points"));
}

TEST_CASE("shared points name a recipe above that has its own") {
  const std::string second =
      "  - {name: two, title: t, target: t, samples_per_epoch: 1000, clock_era: v1, source: s, points_of: ";
  CHECK(table(kPoints, "[]", second + "only}\n").recipe("two").points.size() == 1);
  CHECK_THROWS_WITH(table(kPoints, "[]", second + "onyl}\n"), ContainsSubstring("did you mean \"only\""));
  CHECK_THROWS_WITH(table("points_of: two"), ContainsSubstring("toy.yaml:7"));
  CHECK_THROWS_WITH(table("points_of: only, " + kPoints), ContainsSubstring("needs one of"));
}

TEST_CASE("a batch unit converts the points to samples") {
  const auto tokens = table("batch_unit: {name: tokens, per_sample: 32, source: s}, " + kPoints);
  CHECK(tokens.recipes[0].points[0].batch == 2);
  CHECK_THROWS_WITH(table("batch_unit: {name: tokens, per_sample: 0, source: s}, " + kPoints),
                    ContainsSubstring("above 0"));
}

TEST_CASE("a recipe by accelerators needs the batch that it trains with") {
  CHECK_THROWS_WITH(table("by: accelerators, points: [{accelerators: 8, epochs: 5, runs: 1, source: s}]"),
                    ContainsSubstring("self_play"));
  CHECK_THROWS_WITH(table("by: acelerators, " + kPoints), ContainsSubstring("did you mean \"accelerators\""));
  const std::string play =
      "self_play: {games: 1, moves_per_game: 1, readouts: 1, fast_readouts: 1, fast_share: 1.5, training_batch: 1, "
      "source: s}, ";
  CHECK_THROWS_WITH(table("by: accelerators, " + play + kPoints), ContainsSubstring("between 0 and 1"));
}

TEST_CASE("pauses with a mistake are refused") {
  const auto pause = [](const std::string& text) {
    return table(kPoints, "[{family: gpu, eras: [v1], fixed: 1 s, passes: 1, " + text + "source: s}]");
  };
  CHECK_NOTHROW(pause("provenance: fitted, "));
  CHECK_THROWS_WITH(pause("provenance: fited, "), ContainsSubstring("did you mean \"fitted\""));
  CHECK_THROWS_WITH(pause("provenance: fitted, load: beams, "), ContainsSubstring("beam_search"));
  CHECK_THROWS_WITH(pause("provenance: fitted, exponent: -1, "), ContainsSubstring("must not be negative"));
  CHECK_THROWS_WITH(pause("provenance: fitted, era: v1, "), ContainsSubstring("did you mean \"eras\""));
  CHECK_THROWS_WITH(table(kPoints, "[{family: gpu, eras: [], fixed: 1 s, passes: 1, provenance: fitted, source: s}]"),
                    ContainsSubstring("at least one era"));
}

TEST_CASE("evaluation grids with a mistake are refused") {
  CHECK_THROWS_WITH(table("evaluations: {every_epochs: 0}, " + kPoints), ContainsSubstring("above 0"));
  CHECK_THROWS_WITH(table("evaluations: {count: 3, every_epochs: 1}, " + kPoints), ContainsSubstring("every_epochs"));
  CHECK_THROWS_WITH(table("evaluations: {every_epochs: 1, offset: chsen}, " + kPoints), ContainsSubstring("chosen"));
  CHECK_THROWS_WITH(
      table("evaluations: {every_samples: {per_batch: 1, constant: 10, share: 0.5, multiple: 1000}}, " + kPoints),
      ContainsSubstring("never evaluates"));
}
