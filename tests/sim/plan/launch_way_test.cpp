#include <algorithm>
#include <string>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/explain/explain.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

PredictRequest asked(const std::string& workload, const Settings& settings, const std::string& topology = "dgx-a100") {
  PredictRequest request;
  request.topology = topology;
  request.accelerators = topology == "dgx-a100" ? 1 : 0;
  request.workload = workload;
  request.global_batch = 16;
  request.fidelity = Fidelity::closed;
  request.options = options_of(settings);
  request.builtin_profiles = calibrate::builtin_profiles();
  return request;
}

Prediction answer(const std::string& workload, const Settings& settings) { return predict(asked(workload, settings)); }

bool says_that_it_waits(const Prediction& answer) {
  return std::any_of(answer.warnings.begin(), answer.warnings.end(),
                     [](const std::string& warning) { return warning.starts_with("kernels wait for their host"); });
}

ParsedAnchor run(const std::string& stack) {
  ParsedAnchor run;
  run.id = "run";
  run.topology = "dgx-a100";
  run.accelerators = 1;
  run.workload = "densenet121";
  run.precision = Precision::fp16;
  run.global_batch = 256;
  run.throughput = PerSecond(1000);
  run.options.software.stack = stack;
  return run;
}

}  // namespace

// DenseNet-121 has 120 convolutions and as many normalisations and activations, each of which is launched forward and
// backward; at 16 images an A100 is through with them in a few milliseconds.
TEST_CASE("a network that PyTorch launches kernel by kernel waits for its host at a small batch, at no large one") {
  const Prediction eager = answer("densenet121", {{"launch", "eager"}}),
                   recorded = answer("densenet121", {{"launch", "graphs"}});
  const Seconds passes = eager.step.compute - eager.step.optimizer;
  CHECK(passes > milliseconds(50));
  CHECK(recorded.step.compute < 0.4 * passes);
  PredictRequest half = asked("densenet121", {{"launch", "eager"}});
  half.global_batch = 8;
  CHECK(predict(half).step.compute.value == Approx(eager.step.compute.value));
  PredictRequest large = asked("densenet121", {{"launch", "eager"}}),
                 large_recorded = asked("densenet121", {{"launch", "graphs"}});
  large.global_batch = large_recorded.global_batch = 1024;
  CHECK(predict(large).step.time == predict(large_recorded).step.time);
}

TEST_CASE("software that is named launches as its class does, whatever the network") {
  const Seconds eager = answer("densenet121", {{"launch", "eager"}}).step.time;
  CHECK(answer("densenet121", {{"stack", "eager"}}).step.time == eager);
  CHECK(answer("resnet50", {{"stack", "eager"}}).step.time == answer("resnet50", {{"launch", "eager"}}).step.time);
  CHECK(answer("densenet121", {{"stack", "compiled"}}).step.time < eager);
  CHECK(answer("densenet121", {{"stack", "eager"}, {"launch", "graphs"}}).step.time < eager);
}

TEST_CASE("without named software a network that no benchmark has is PyTorch's, until other software ran it") {
  PredictRequest plain = asked("densenet121", {});
  plain.precision = Precision::fp16;
  const Prediction nobody = predict(plain);
  CHECK(says_that_it_waits(nobody));
  CHECK_FALSE(says_that_it_waits(answer("resnet50", {})));
  plain.anchors = {run("pytorch-2021-01-07")};
  CHECK(says_that_it_waits(predict(plain)));
  plain.anchors = {run("mlperf-v1.0-mxnet")};
  CHECK_FALSE(says_that_it_waits(predict(plain)));
}

TEST_CASE("explain names launches where a network of images waits for them") {
  CHECK(explain(asked("densenet121", {{"launch", "eager"}})).resources.front().resource == "kernel launches");
}

TEST_CASE("on other accelerators than GPUs no host launches a network's kernels one by one") {
  for (const char* topology : {"tpu-v3-8", "gke-cpu"}) {
    INFO(topology);
    CHECK_THROWS_WITH(predict(asked("densenet121", {{"launch", "graphs"}}, topology)),
                      ContainsSubstring("--set launch=graphs") && ContainsSubstring("launches on a GPU"));
  }
}
