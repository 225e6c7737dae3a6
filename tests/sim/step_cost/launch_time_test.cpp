#include <algorithm>
#include <cmath>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "sim/step_cost/step_terms.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

namespace {

StepBreakdown resnet20_step(const Settings& settings, const std::string& topology = "gke-t4") {
  PredictRequest request;
  request.topology = topology;
  request.workload = "resnet20-cifar";
  request.precision = Precision::fp32;
  request.batch_per_accelerator = 128;
  request.fidelity = Fidelity::closed;
  request.options = options_of(settings);
  request.builtin_profiles = calibrate::builtin_profiles();
  return predict(request).step;
}

const Settings kMlbenchImages{{"stack", "mlbench-2020"}};

}  // namespace

TEST_CASE("a launch takes the accelerator's time and the longer of the framework's for a kernel and its dispatch") {
  StackTerm stack;
  stack.per_kernel = microseconds(33);
  stack.dispatch = microseconds(4);
  CHECK(single_rank_terms(stack).launch_time(microseconds(17)).value == Approx(50e-6));
}

TEST_CASE("PyTorch launches ResNet-20's passes in a whole number of kernels of 50 us, on any number of ranks") {
  const StepBreakdown one = resnet20_step(kMlbenchImages), many = resnet20_step(kMlbenchImages, "gke-t4:nodes=8");
  REQUIRE(one.launch);
  const double kernels = one.launch->value / 50e-6;
  CHECK(kernels == Approx(std::round(kernels)));
  CHECK(kernels > 150);  // 22 convolutions, 22 normalisations and 28 others, forward and twice backward
  CHECK(kernels < 220);
  CHECK(*many.launch == *one.launch);
  CHECK(*resnet20_step({{"stack", "mlbench-2020"}, {"fusion", "on"}}).launch < *one.launch);
}

// Kernels of 768 channels over four ranks are shorter than what Python or a compiled program takes for each.
TEST_CASE("a small language model waits for its host, the less the less the host does for a kernel") {
  const auto asked = [](const std::string& workload, const char* launch) {
    PredictRequest request;
    request.topology = "dgx-h100";
    request.workload = workload;
    request.parallelism = "tensor=4,micro_batch=1";
    request.global_batch = 8;
    request.options = options_of({{"launch", launch}});
    request.builtin_profiles = calibrate::builtin_profiles();
    return predict(request);
  };
  const auto says = [](const Prediction& answer) {
    return std::any_of(answer.warnings.begin(), answer.warnings.end(), [](const std::string& warning) {
      return warning.find("holds nothing up: the host takes") != std::string::npos;
    });
  };
  const Prediction eager = asked("gpt-126m", "eager"), compiled = asked("gpt-126m", "compiled"),
                   graphs = asked("gpt-126m", "graphs");
  CHECK(eager.step.time > 5 * compiled.step.time);
  CHECK(compiled.step.time > 1.05 * graphs.step.time);
  CHECK_FALSE(says(eager));
  CHECK_FALSE(says(compiled));
  CHECK(says(graphs));
  CHECK(says(asked("llama-3-8b:layers=4", "compiled")));
  CHECK(asked("llama-3-8b:layers=4", "compiled").step.time == asked("llama-3-8b:layers=4", "graphs").step.time);
}

TEST_CASE("no host launches the kernels of a processor or of a TPU's program one by one") {
  CHECK_FALSE(resnet20_step({}, "gke-cpu").launch);
  PredictRequest tpu;
  tpu.topology = "tpu-v3-8";
  tpu.workload = "resnet50";
  tpu.fidelity = Fidelity::closed;
  CHECK_FALSE(predict(tpu).step.launch);
}

TEST_CASE("a stack may update each tensor by itself, unless the question says otherwise") {
  const Seconds each = resnet20_step(kMlbenchImages).optimizer;
  const Seconds at_once = resnet20_step({{"stack", "mlbench-2020"}, {"multi_tensor", "on"}}).optimizer;
  CHECK(each > 20 * at_once);  // five kernels for each of 65 tensors against one
  CHECK(resnet20_step({{"stack", "mlbench-2020"}, {"multi_tensor", "off"}}).optimizer == each);
}
