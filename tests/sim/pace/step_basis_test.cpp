// One anchor sets the speed of kernels, a second one what several ranks cost one another.
#include "sim/pace/step_basis.hpp"

#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Anchor step_of(int accelerators, double throughput) {
  Anchor anchor;
  anchor.id = "box-" + std::to_string(accelerators);
  anchor.topology = "dgx-a100";
  anchor.accelerators = accelerators;
  anchor.workload = "resnet50";
  anchor.precision = Precision::fp16;
  anchor.global_batch = 64.0 * accelerators;
  anchor.settings = {{"stack", "made-up"}};
  anchor.throughput = PerSecond(throughput);
  anchor.source = {Provenance::published, "a table: its row", ""};
  return anchor;
}

PredictRequest ask(int accelerators, std::vector<ParsedAnchor> anchors) {
  Profile profile;
  profile.accelerator = "a100-sxm4-40gb";
  profile.efficiency.push_back({Precision::fp16, 0.5, 0.8, microseconds(5), {Provenance::fitted, "made up", ""}});
  StackTerm term;
  term.stack = "made-up";
  term.step_overhead = milliseconds(5);
  term.overlap = false;
  profile.stacks.push_back(term);
  PredictRequest request;
  request.topology = "dgx-a100:nodes=4";
  request.accelerators = accelerators;
  request.workload = "resnet50";
  request.batch_per_accelerator = 64;
  request.options = options_of({{"stack", "made-up"}});
  request.builtin_profiles = std::vector<Profile>{profile};
  request.anchors = std::move(anchors);
  return request;
}

double throughput(int accelerators, std::vector<ParsedAnchor> anchors) {
  return predict(ask(accelerators, std::move(anchors))).throughput.value;
}

}  // namespace

TEST_CASE("both anchors come back: the run on one accelerator and the run on eight") {
  const std::vector<ParsedAnchor> both{step_of(1, 1500), step_of(8, 10000)};
  CHECK(throughput(1, both) == Approx(1500).epsilon(1e-6));
  CHECK(throughput(8, both) == Approx(10000).epsilon(1e-6));
}

TEST_CASE("what eight ranks cost one another carries over to more") {
  const double eight_alone = throughput(8, {step_of(1, 1500)});
  const double thirty_two_alone = throughput(32, {step_of(1, 1500)});
  const double slower = throughput(32, {step_of(1, 1500), step_of(8, 0.8 * eight_alone)});
  CHECK(slower < thirty_two_alone);
  CHECK(slower / thirty_two_alone == Approx(0.8).epsilon(0.02));
}

TEST_CASE("a run on more accelerators than asked, or of other software, is no second anchor") {
  const double alone = throughput(4, {step_of(1, 1500)});
  CHECK(throughput(4, {step_of(1, 1500), step_of(8, 5000)}) == alone);
  Anchor other = step_of(2, 1000);
  other.settings["fusion"] = "off";
  CHECK(throughput(4, {step_of(1, 1500), other}) == alone);
  other = step_of(2, 1000);
  other.source.source = "another table: its row";
  CHECK(throughput(4, {step_of(1, 1500), other}) == alone);
}

TEST_CASE("the answer names both anchors and what they say") {
  const auto prediction = predict(ask(32, {step_of(1, 1500), step_of(8, 10000)}));
  CHECK_THAT(prediction.distance.text, ContainsSubstring("box-1: +5.0 doublings"));
  CHECK_THAT(prediction.distance.text, ContainsSubstring("box-8: +2.0 doublings"));
  REQUIRE(prediction.provenance.size() > 2);
  CHECK(prediction.provenance[0].figure == "kernel speed");
  CHECK(prediction.provenance[1].figure == "contention");
  CHECK_THAT(prediction.provenance[1].value.text, ContainsSubstring("box-8"));
}

TEST_CASE("the interval is that of the nearer, larger anchor") {
  const auto width = [](const Prediction& p) { return p.interval.step_time[1] / p.interval.step_time[0]; };
  CHECK(width(predict(ask(32, {step_of(1, 1500), step_of(8, 10000)}))) < width(predict(ask(32, {step_of(1, 1500)}))));
}
