// Coverage with widths that the group's own checks had no part in.
#include "validation/scores/conformal.hpp"

#include <cmath>

#include "catch.hpp"
#include "sim/evidence/step_difficulty.hpp"
#include "validation/questions/questions.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// A throughput that was predicted `off` below the published one in logarithms, at difficulty 1.
CaseResult off_by(const std::string& source, double off) {
  CaseResult r;
  r.what.source = source;
  r.what.value = 1000;
  r.predicted = 1000 * std::exp(-off);
  r.trust = Trust{TrustLevel::good, {}, Footing::same_software, 1};
  const double half = sim::conformal_factor(Footing::same_software);
  r.interval = Interval{*r.predicted * std::exp(-half), *r.predicted * std::exp(half)};
  return r;
}

const double kFar = 0.95 * sim::conformal_factor(Footing::same_software);

// Twenty good rows of two tables and ten of one that nothing foretells.
ValidationReport toy_report() {
  ValidationReport all;
  for (int i = 0; i < 10; ++i) {
    all.cases.push_back(off_by("near", 0.1));
    all.cases.push_back(off_by("nearer", 0.05));
    all.cases.push_back(off_by("far", kFar));
  }
  all.groups = group_scores(all.cases);
  return all;
}

LeftOutFactors toy_factors() {
  LeftOutFactors all;
  all.add(toy_report());
  return all;
}

}  // namespace

TEST_CASE("each source of language models' steps weighs as much as any other, of other steps each row") {
  std::vector<ConformalScore> scores;
  for (int i = 0; i < 98; ++i) scores.push_back({"long", Footing::operators, 0.1});
  scores.push_back({"short", Footing::operators, 0.4});
  scores.push_back({"short", Footing::operators, 0.8});
  CHECK(conformal_factor_of(scores, Footing::operators) == 0.8);
  CHECK(conformal_factor_of(scores, Footing::same_software) == Approx(0.1));
}

TEST_CASE("a group's own errors do not widen the intervals that it is judged by") {
  const LeftOutFactors all = toy_factors();
  CHECK(all.without("far", Footing::same_software) == Approx(0.1));
  CHECK(all.without("near", Footing::same_software) == Approx(kFar));
  CHECK(all.without("near", Footing::no_run) == sim::conformal_factor(Footing::no_run));  // too few are known
  const auto checks = interval_checks(toy_report());
  CHECK(all.coverage(checks, "far", Metric::throughput) == 0);
  CHECK(all.coverage(checks, "near", Metric::throughput) == 1);
  CHECK(all.coverage(checks, Metric::throughput) == Approx(2.0 / 3));
  CHECK(toy_report().groups.back().coverage == 1);  // within the usual factor
}

TEST_CASE("only reports of a footing's own question set its factor") {
  ValidationReport hidden = toy_report();
  hidden.asking.hidden = Hidden::network;
  LeftOutFactors none;
  none.add(hidden);
  CHECK(none.without("near", Footing::same_software) == sim::conformal_factor(Footing::same_software));
  CHECK(calibrating(Footing::same_software) == Asking{});
  CHECK(calibrating(Footing::open_software).telling == Telling::as_asked);
  CHECK(calibrating(Footing::no_run).hidden == Hidden::network);
}

TEST_CASE("what epochs and clock add to a width stays when the step's factor changes") {
  const double k = sim::conformal_factor(Footing::same_software);
  IntervalCheck check;
  check.footing = Footing::same_software;
  check.difficulty = 1;
  check.above = check.below = std::hypot(k, 0.5);  // 0.5 of it is not the step's
  check.error = 0.49;
  CHECK(holds_with(check, 0));
  check.error = 0.51;
  CHECK_FALSE(holds_with(check, 0));
  CHECK(holds_with(check, 0.2));
  check.difficulty = 0;  // its rate is given: no factor counts
  CHECK(holds_with(check, 0));
}

TEST_CASE("a question counts the groups that hold with and without their own checks") {
  const QuestionScore score = score_of(questions().back(), toy_report(), toy_factors());
  REQUIRE(score.groups.size() == 3);
  CHECK(score.groups[0].held_left_out());
  CHECK_FALSE(score.groups[2].held_left_out());
  CHECK(score.groups[2].held());
  CHECK_FALSE(score.groups[0].skill_judged);  // no baseline answers
  CHECK(score.throughput_left_out == Approx(2.0 / 3));
}
