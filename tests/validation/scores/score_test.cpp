#include "validation/scores/score.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/options/options_text.hpp"
#include "validation/scores/baselines.hpp"
#include "validation/scores/error_bounds.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

CaseResult result(const std::string& source, double published, double predicted, Interval interval = {0, 0}) {
  CaseResult r;
  r.what.source = source;
  r.what.value = published;
  r.predicted = predicted;
  if (interval[0] > 0) r.interval = interval;
  return r;
}

Case system_of(const std::string& topology, int accelerators, double batch, double value, Role role = Role::check) {
  Case c;
  c.id = topology + std::to_string(accelerators);
  c.source = "Test";
  c.topology = topology;
  c.accelerators = accelerators;
  c.workload = "resnet50";
  c.precision = Precision::fp16;
  c.global_batch = batch;
  c.options = options_of({{"stack", "one"}});
  c.value = value;
  c.role = role;
  return c;
}

ErrorBounds bounds(const std::string& text) { return parse_bounds(Document::parse(text, "bounds.yaml")); }

}  // namespace

TEST_CASE("a summary holds the size of errors and the mean of their signs") {
  const ErrorSummary s = summary({-0.10, 0.02, 0.06, -0.04});
  CHECK(s.count == 4);
  CHECK(s.median == Approx(0.05));
  CHECK(s.p90 == Approx(0.06 + 0.7 * 0.04));
  CHECK(s.max == Approx(0.10));
  CHECK(s.bias == Approx(-0.015));
  CHECK(summary({}).count == 0);
}

TEST_CASE("groups are scored apart, by source and metric") {
  auto time = result("A", 100, 150);
  time.what.metric = Metric::time_to_accuracy;
  const auto groups = group_scores({result("A", 100, 110), result("B", 100, 80), result("A", 100, 95), time});
  REQUIRE(groups.size() == 3);
  CHECK(groups[0].source == "A");
  CHECK(groups[0].error.count == 2);
  CHECK(groups[0].error.median == Approx(0.075));
  CHECK(groups[0].error.bias == Approx(0.025));
  CHECK(groups[1].error.bias == Approx(-0.2));
  CHECK(groups[2].metric == Metric::time_to_accuracy);
}

TEST_CASE("an anchor is never counted") {
  auto anchor = result("A", 100, 200);
  anchor.what.role = Role::anchor;
  const auto groups = group_scores({anchor, result("A", 100, 101)});
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].error.count == 1);
  CHECK(groups[0].error.max == Approx(0.01));
  CHECK(group_scores({anchor}).empty());
}

TEST_CASE("coverage is the share of intervals that hold the published value") {
  const auto groups = group_scores({result("A", 100, 110, {90, 130}), result("A", 100, 110, {101, 130}),
                                    result("A", 100, 100, {100, 120}), result("A", 100, 90)});
  CHECK(groups[0].intervals == 3);
  CHECK(groups[0].coverage == Approx(2.0 / 3));
}

TEST_CASE("a refused case is counted as refused, not left out") {
  CaseResult refused;
  refused.what.source = "A";
  refused.what.value = 1;
  refused.refusal = "out of memory";
  const auto groups = group_scores({refused, result("A", 100, 100)});
  CHECK(groups[0].refused == 1);
  CHECK(groups[0].error.count == 1);
  CHECK_THAT(misses(groups[0], {}).at(0), ContainsSubstring("1 refused"));
}

TEST_CASE("the linear baseline keeps the anchor's rate per accelerator") {
  const std::vector<Case> cases{system_of("dgx2", 1, 256, 1000, Role::anchor),
                                system_of("dgx2:nodes=2", 32, 8192, 30000)};
  CHECK(*linear_baseline(cases[1], nullptr, cases) == 32000);
  Case step = cases[1];
  step.metric = Metric::step_time;
  CHECK(*linear_baseline(step, nullptr, cases) == Approx(8192.0 / 32000));
  Case speedup = cases[1];
  speedup.metric = Metric::speedup;
  CHECK(*linear_baseline(speedup, nullptr, cases) == 32);
  CHECK(*linear_baseline(speedup, &cases[1], cases) == 1);
  Case time = cases[1];
  time.metric = Metric::time_to_accuracy;
  CHECK_FALSE(linear_baseline(time, nullptr, cases));
}

TEST_CASE("a family is one machine, precision, software and data; slices of a torus are one machine") {
  const Case pod = system_of("torus32x32:accelerator=tpu-v3", 1024, 32768, 1);
  CHECK(family_of(pod) == family_of(system_of("torus128x32:accelerator=tpu-v3", 16, 4096, 1)));
  CHECK(family_of(pod) != family_of(system_of("torus32x32:accelerator=tpu-v2", 1024, 32768, 1)));
  CHECK(family_of(system_of("dgx2:nodes=2", 32, 1, 1)) == family_of(system_of("dgx2", 16, 1, 1)));
  CHECK(family_of(system_of("dgx2", 16, 1, 1)) != family_of(system_of("dgx2h", 16, 1, 1)));
  Case other = pod;
  other.options.software.stack = "two";
  CHECK(family_of(other) != family_of(pod));
  other.role = Role::anchor;
  const std::vector<Case> cases{other, system_of("dgx2", 1, 32, 1, Role::anchor)};
  CHECK(family_anchor(pod, cases) == &cases[0]);  // other software is better than nothing
  CHECK(family_anchor(system_of("dgx2h", 1, 32, 1), cases) == nullptr);
}

TEST_CASE("the anchor of a family is its smallest system, then its largest batch") {
  const std::vector<Case> cases{system_of("dgx2", 8, 256, 1, Role::anchor), system_of("dgx2", 1, 32, 1, Role::anchor),
                                system_of("dgx2", 1, 64, 1, Role::anchor)};
  CHECK(family_anchor(system_of("dgx2", 16, 1024, 1), cases) == &cases[2]);
}

TEST_CASE("the model is set beside the baseline on the cases that the baseline answers") {
  auto with = result("A", 100, 102);
  with.baselines[0] = 120;
  const auto groups = group_scores({with, result("A", 100, 150)});
  CHECK(groups[0].error.count == 2);
  CHECK(groups[0].linear().count == 1);
  CHECK(groups[0].linear().median == Approx(0.2));
  CHECK(groups[0].beside[0].median == Approx(0.02));
}

TEST_CASE("a group beyond its bound misses it, one without a bound of its own takes the metric's") {
  const ErrorBounds b = bounds(
      "groups:\n  - {source: A, metric: throughput, median: 0.05, p90: 0.10, coverage: 0.8}\n"
      "any_source:\n  - {metric: throughput, median: 0.20, p90: 0.30}\n");
  const auto groups = group_scores(
      {result("A", 100, 107, {90, 130}), result("B", 100, 107), result("C", 100, 125), result("D", 100, 140)});
  CHECK(misses(groups[0], b) == std::vector<std::string>{"median 7.0 % above 5.0 %"});
  CHECK(misses(groups[1], b).empty());
  CHECK(misses(groups[2], b) == std::vector<std::string>{"median 25.0 % above 20.0 %"});
  CHECK(misses(groups[3], b).size() == 2);
  const auto uncovered = group_scores({result("A", 100, 101, {101, 130})});
  CHECK(misses(uncovered[0], b) == std::vector<std::string>{"coverage 0.0 % below 80.0 %"});
}

TEST_CASE("wrong bounds are refused") {
  CHECK_THROWS_WITH(bounds("groups: []\nany_source:\n  - {metric: throughputs, median: 1, p90: 1}\n"),
                    ContainsSubstring("bounds.yaml:3") && ContainsSubstring("throughput"));
  CHECK_THROWS_AS(bounds("groups: []\nany_source:\n  - {metric: cost, median: -1, p90: 1}\n"), InputError);
  CHECK_THROWS_AS(bounds("groups:\n  - {source: A, metric: cost, median: 1, p90: 1, coverage: 2}\nany_source: []\n"),
                  InputError);
}
