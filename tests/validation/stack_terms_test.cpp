// Terms of the built-in software stacks against the fixed times that MLPerf's tables show.
#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

Seconds overhead(const std::string& topology, const std::string& workload, const std::string& stack) {
  PredictRequest request;
  request.topology = topology;
  request.workload = workload;
  request.batch_per_accelerator = 4;
  request.precision = Precision::fp16;
  request.fidelity = Fidelity::closed;
  request.options = options_of({{"stack", stack}});
  request.builtin_profiles = builtin_profiles();
  return predict(request).step.overhead;
}

}  // namespace

TEST_CASE(
    "dispatch gives back the fixed time of each round's convolutional networks, and of BERT's with one constant") {
  CHECK(overhead("dgx1-v100", "resnet50", "mlperf-v0.6").value == Approx(17.8e-3).epsilon(0.03));
  CHECK(overhead("dgx-a100", "resnet50", "mlperf-v0.7").value == Approx(8.8e-3).epsilon(0.03));
  CHECK(overhead("dgx-a100", "resnet50", "mlperf-v1.0").value == Approx(2.3e-3).epsilon(0.05));
  CHECK(overhead("dgx-a100", "bert-large", "mlperf-v1.0").value == Approx(7e-3).epsilon(0.08));
  CHECK(overhead("dgx-h100", "resnet50", "mlperf-v3.0").value == Approx(1.4e-3).epsilon(0.03));
}
