#include <algorithm>
#include <string>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/explain/explain.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/lowered_plan.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

PredictRequest asked(const std::string& topology, int accelerators, Settings settings) {
  PredictRequest request;
  request.topology = topology;
  request.accelerators = accelerators;
  request.workload = "gpt2";
  request.precision = Precision::bf16;
  request.global_batch = 8;
  request.fidelity = Fidelity::closed;
  if (topology != "gke-cpu") settings.emplace("stack", "tuned");
  request.options = options_of(settings);
  request.builtin_profiles = calibrate::builtin_profiles();
  return request;
}

Prediction answer(const std::string& topology, const std::string& offload) {
  return predict(asked(topology, 1, {{"offload", offload}}));
}

constexpr BytesPerSecond kSlow = BytesPerSecond(0.76 * 100e6);  // what software reaches of PCIe
const std::string kSlowServer = "pcie-server:link_bandwidth=100MB/s";

bool says_that_it_limits(const Prediction& answer) {
  return std::any_of(answer.warnings.begin(), answer.warnings.end(),
                     [](const std::string& warning) { return warning.find("limits: the link") != std::string::npos; });
}

}  // namespace

TEST_CASE("offloaded activations take their bytes on a slow link, out under one pass and back under the other") {
  const Prediction kept = answer(kSlowServer, "off"), sent = answer(kSlowServer, "0.5");
  const Bytes activations = kept.memory.parts.activations;
  const Seconds copies = 2 * (0.5 * activations / kSlow);
  REQUIRE(copies > 10 * kept.step.compute);
  CHECK(sent.step.compute.value == Approx(copies.value).epsilon(1e-3));
  CHECK(says_that_it_limits(sent));
  // The accelerator holds two of 13 parts: 12 blocks and what lies outside of them.
  CHECK(sent.memory.parts.activations.value == Approx(activations.value * (1 - 0.5 * (1 - 2.0 / 13))));
}

TEST_CASE("explain names the copies that a step waits for, and launches where the host is the slower one") {
  const auto largest = [](const PredictRequest& request) { return explain(request).resources.front().resource; };
  CHECK(largest(asked(kSlowServer, 1, {{"offload", "0.5"}})) == "copies to and from the host");
  PredictRequest small = asked("pcie-server", 1, {{"stack", "eager"}, {"launch", "eager"}});
  small.global_batch = 1;
  CHECK(largest(small) == "kernel launches");
}

TEST_CASE("a link that is quick enough is hidden under the passes, and memory is free for a larger batch") {
  const Prediction kept = answer("dgx-h100", "off"), sent = answer("dgx-h100", "0.05");
  CHECK(sent.step.time == kept.step.time);
  CHECK_FALSE(says_that_it_limits(sent));
  CHECK(sent.memory.per_accelerator < kept.memory.per_accelerator);
  CHECK(answer("gb200-nvl72", "1").step.time < answer("dgx-b200", "1").step.time);  // its own link to its host
}

TEST_CASE("stages send and take back activations beside both passes") {
  PredictRequest request = asked(kSlowServer, 2, {{"offload", "1"}, {"attention", "flash"}});
  request.parallelism = "pipeline=2,micro_batches=4";
  const LoweredPlan lowered = lower_plan(make_plan(request));
  REQUIRE(lowered.offloaded.size() == 2);
  // Both accelerators share the way up from their switch.
  const auto [least, most] = std::minmax_element(lowered.offloaded.begin(), lowered.offloaded.end());
  const Seconds compute = predict(request).step.compute;
  CHECK(compute.value > 0.99 * (*least / (kSlow / 2)).value);
  CHECK(compute.value < 1.01 * (*most / (kSlow / 2)).value);
}

TEST_CASE("an offloaded optimizer leaves its state and the fp32 weights to the host, which updates them") {
  const Prediction here = answer("pcie-server", "off"), there = answer("pcie-server", "optimizer");
  const double parameters = here.memory.parts.weights / Bytes(6);  // fp32, and a copy in bf16
  CHECK(there.memory.parts.weights.value == Approx(2 * parameters));
  CHECK(there.memory.parts.optimizer_state == Bytes(0));
  CHECK(there.step.compute == here.step.compute);
  const double link = 0.76 * 31.5e9, host = 10e9 * 28 / 2.57;
  const double copies = (4 + 2) * parameters / link;  // gradients in fp32 out, weights in bf16 back
  CHECK(there.step.optimizer.value == Approx(copies + 28 * parameters / host).epsilon(1e-3));
}

TEST_CASE("what is offloaded is no part of the one accelerator that linear scaling is told against") {
  const auto scaled = [](const std::string& offload) {
    return predict(asked("dgx-h100", 8, {{"offload", offload}})).scaling_efficiency;
  };
  const double kept = scaled("off");
  CHECK(scaled("optimizer") < kept);
  CHECK(scaled("optimizer") > 0);
  CHECK(scaled("0.05+optimizer") == scaled("optimizer"));
}

TEST_CASE("offload is refused where there is no other memory, or nothing is known of the way there") {
  CHECK_THROWS_WITH(make_plan(asked("gke-cpu", 1, {{"offload", "0.5"}})), ContainsSubstring("has there already"));
  CHECK_THROWS_WITH(make_plan(asked("tpu-v3-pod", 4, {{"offload", "0.5"}})), ContainsSubstring("as host_link"));
  CHECK_THROWS_WITH(options_of({{"offload", "1.5"}}), ContainsSubstring("between 0 and 1, not 1.5"));
  CHECK_THROWS_WITH(options_of({{"offload", "optimiser"}}), ContainsSubstring("did you mean \"optimizer\"?"));
}
