// A step whose kernels were measured: what it takes, how sure it is, and what it says to measure next.
#include <algorithm>
#include <cmath>
#include <map>

#include "catch.hpp"
#include "sim/answer/answer_parts.hpp"
#include "sim/answer/answered_step.hpp"
#include "sim/answer/predict.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/lowered_plan.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

PredictRequest ask_measured(std::vector<Profile> profiles) {
  PredictRequest request;
  request.topology = "dgx-a100";
  request.accelerators = 1;
  request.workload = "resnet20-cifar";
  request.batch_per_accelerator = 128;
  request.precision = Precision::fp32;
  request.own_profiles = std::move(profiles);
  return request;
}

// Every `every`th kernel of the step takes a millisecond, with quartiles a factor of 1.1 apart.
Profile measured(int every) {
  Profile profile;
  profile.accelerator = "a100-sxm4-40gb";
  const LoweredPlan lowered = lower_plan(make_plan(ask_measured({})));
  const double apart = std::sqrt(1.1);
  std::map<KernelKey, int> seen;
  for (const StepNode& node : *lowered.graph) {
    if (node.kind != NodeKind::kernel || !seen.emplace(node.work->key, 0).second) continue;
    if (seen.size() % static_cast<std::size_t>(every) != 0) continue;
    profile.kernels.push_back({node.work->key,
                               0,
                               Cache::cold,
                               {milliseconds(1), milliseconds(1 / apart), milliseconds(apart), 20, 0},
                               {Provenance::measured, "a host", "2026-11-21"}});
  }
  return profile;
}

int kernels_of_step() {
  const LoweredPlan lowered = lower_plan(make_plan(ask_measured({})));
  int count = 0;
  for (const StepNode& node : *lowered.graph) count += node.kind == NodeKind::kernel ? node.repeats : 0;
  return count;
}

Anchor published_anchor(double throughput) {
  Anchor anchor;
  anchor.id = "published-row";
  anchor.topology = "dgx-a100";
  anchor.workload = "resnet20-cifar";
  anchor.global_batch = 128;
  anchor.throughput = PerSecond(throughput);
  anchor.source = {Provenance::published, "a table", ""};
  return anchor;
}

double width(const Prediction& p) { return std::log(p.interval.step_time[1] / p.interval.step_time[0]); }

}  // namespace

TEST_CASE("a step of measured kernels takes their sum") {
  const Prediction p = predict(ask_measured({measured(1)}));
  CHECK(p.step.time.value == Approx(1e-3 * kernels_of_step()));
  CHECK_THAT(p.distance.text, ContainsSubstring("kernels measured for 100 % of kernel time"));
  CHECK(p.measure_next.empty());
  CHECK(p.provenance.front().figure == "kernel cost");
  CHECK(p.provenance.front().source.provenance == Provenance::measured);
}

TEST_CASE("no published step overrules measured kernels") {
  PredictRequest request = ask_measured({measured(1)});
  const double alone = predict(request).step.time.value;
  request.anchors = {published_anchor(10)};
  CHECK(predict(request).step.time.value == Approx(alone).epsilon(1e-12));
}

TEST_CASE("kernels that were not measured still follow the published step") {
  PredictRequest request = ask_measured({measured(2)});
  request.anchors = {published_anchor(1e4)};
  const double fast = predict(request).step.time.value;
  request.anchors = {published_anchor(1e3)};
  const Prediction slow = predict(request);
  CHECK(slow.step.time.value > 1.5 * fast);
  CHECK_THAT(slow.distance.text, ContainsSubstring("the others anchored on published-row"));
}

TEST_CASE("the interval of a step of a GPU's measured kernels leaves room for what its framework runs besides") {
  CHECK(width(predict(ask_measured({measured(1)}))) == Approx(2 * 1.645 * kFrameworkSpread).epsilon(1e-2));
}

TEST_CASE("what to measure next are the heaviest kernels without a measurement, with the command") {
  const Prediction p = predict(ask_measured({measured(2)}));
  REQUIRE(p.measure_next.size() >= 3);
  CHECK(p.measure_next.size() <= kMostMeasurements);
  CHECK(p.measure_next[0].share >= p.measure_next[1].share);
  CHECK_THAT(p.measure_next[0].what.text,
             ContainsSubstring("kernel ") && ContainsSubstring("by an efficiency curve so far"));
  CHECK(p.measure_next[0].command ==
        "mlsim calibrate --device cuda --workload resnet20-cifar --batch-per-accelerator 128 --precision fp32");
}

TEST_CASE("an exchange without a curve is to be measured under mpirun") {
  PredictRequest request = ask_measured({measured(1)});
  request.accelerators = 8;
  const Prediction p = predict(request);
  REQUIRE(p.measure_next.size() == 1);
  CHECK(p.measure_next[0].what.text == "all-reduce between 8 ranks by nccl");
  CHECK(p.measure_next[0].command == "mpirun -n 8 mlsim calibrate --collectives all-reduce --library nccl");
}

TEST_CASE("a curve of another library than the usual one is named with the setting that uses it") {
  CollectiveCurve curve;
  curve.communicator = "mpi";
  curve.device = "cuda";
  curve.machine = "dgx-a100";
  curve.ranks_per_node = 8;
  curve.knots = {{Bytes(8), milliseconds(1), 0}};
  curve.source = {Provenance::measured, "a host", ""};
  Profile profile = measured(1);
  profile.collectives = {curve};
  PredictRequest request = ask_measured({profile});
  request.accelerators = 8;
  const Prediction by_nccl = predict(request);
  REQUIRE(by_nccl.measure_next.size() == 1);
  CHECK(by_nccl.measure_next[0].what.text ==
        "all-reduce between 8 ranks by nccl; the profile has it by mpi, --set communicator=mpi uses it");
  set_option(request.options, "communicator", "mpi");
  CHECK(predict(request).measure_next.empty());
}

TEST_CASE("who gives no profile is not told what to measure") { CHECK(predict(ask_measured({})).measure_next.empty()); }

TEST_CASE("a profile of another accelerator is transferred, or the answer says why not") {
  Profile v100 = measured(1);
  v100.accelerator = "v100-sxm2-16gb";
  PredictRequest request = ask_measured({v100});
  const Prediction transferred = predict(request);
  CHECK_THAT(transferred.distance.text, ContainsSubstring("transferred from v100-sxm2-16gb for 100 %"));
  request.anchors = {published_anchor(1e4)};
  const Prediction anchored = predict(request);
  CHECK_THAT(anchored.distance.text, ContainsSubstring("anchored on published-row"));
  REQUIRE_FALSE(anchored.warnings.empty());
  CHECK_THAT(anchored.warnings.back(), ContainsSubstring("no kernel is transferred from v100-sxm2-16gb"));
}
