// What the scoreboard is to reach: which checks a figure counts, and when it is reached.

#include "catch.hpp"
#include "sim/options/options_text.hpp"
#include "validation/questions/questions.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

CaseResult answered(const std::string& stack, Metric metric, double predicted) {
  CaseResult r;
  r.what.options = parse_options(stack);
  r.what.metric = metric;
  r.what.value = 100;
  r.predicted = predicted;
  r.interval = Interval{0.8 * predicted, 1.2 * predicted};
  return r;
}

const GoalScore& scored(const std::vector<GoalScore>& all, const std::string& text) {
  return *std::find_if(all.begin(), all.end(), [&](const GoalScore& s) { return s.goal.text == text; });
}

}  // namespace

TEST_CASE("every goal is of a question that is asked") {
  for (const Goal& goal : goals()) {
    INFO(goal.question << ", " << goal.text);
    const auto& all = questions();
    CHECK(std::any_of(all.begin(), all.end(), [&](const Question& q) { return q.name == goal.question; }));
    CHECK(goal.median < goal.p90);
  }
}

TEST_CASE("times of MLPerf count from v0.7 on, and not where the rate is given") {
  const auto time = Metric::time_to_accuracy;
  const auto scores =
      goal_scores("as asked", {answered("stack=mlperf-v0.6", time, 200), answered("stack=mlperf-v0.7", time, 102),
                               answered("stack=mlperf-v1.0", time, 103), answered("stack=dle", time, 200),
                               answered("stack=mlperf-v1.0;throughput=9", time, 200)});
  const GoalScore& times = scored(scores, "MLPerf times from v0.7 on");
  CHECK(times.error.count == 2);
  CHECK(times.error.median == Approx(0.025));
  CHECK(times.median_reached());
  CHECK(times.coverage == 1);
  CHECK_FALSE(times.held_reached());  // all is more than 95 %
}

TEST_CASE("a batch that changes is told from the anchor's own, and nothing is no success") {
  CaseResult same = answered("stack=dle", Metric::throughput, 101),
             other = answered("stack=dle", Metric::throughput, 150);
  same.trust = Trust{};
  other.trust = Trust{};
  other.trust->why = Statement("batch x", named("batch_ratio", 0.5));
  const auto scores = goal_scores("in the table", {same, other});
  CHECK(scored(scores, "throughput at the anchor's batch").error.count == 1);
  CHECK(scored(scores, "throughput at the anchor's batch").p90_reached());
  CHECK(scored(scores, "throughput at another batch").error.median == Approx(0.5));
  CHECK_FALSE(scored(scores, "throughput at another batch").median_reached());
  CHECK_FALSE(scored(scores, "steps of language models").median_reached());
}
