// The ranking of TensorFlow's page of 2017: on 8 P100 of a DGX-1 it took replicated variables and NCCL for AlexNet and
// VGG-16, and variables on the CPU for Inception v3, ResNet-50 and ResNet-152, as the best of each.
#include <string>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "sim/answer/predict.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

double step(const std::string& workload, int batch, const std::string& update, int accelerators = 8,
            const std::string& device = "cpu") {
  PredictRequest request;
  request.topology = "dgx1-p100";
  request.accelerators = accelerators;
  request.workload = workload;
  request.precision = Precision::fp32;
  request.batch_per_accelerator = batch;
  request.builtin_profiles = builtin_profiles();
  request.settings = {{"stack", "tf-2017"}, {"optimizer", "sgd"}, {"variable_update", update}};
  if (update == "parameter_server") request.settings["local_parameter_device"] = device;
  return predict(request).step.time.value;
}

}  // namespace

TEST_CASE("VGG-16 and AlexNet are quicker replicated, ResNet and Inception with variables on the CPU") {
  for (const auto& [workload, batch] : {std::pair{"vgg16", 64}, {"alexnet", 512}}) {
    INFO(workload);
    CHECK(step(workload, batch, "replicated") < 0.95 * step(workload, batch, "parameter_server"));
    CHECK(step(workload, batch, "replicated") < step(workload, batch, "parameter_server", 8, "gpu"));
  }
  for (const auto& [workload, batch] : {std::pair{"inception3", 64}, {"resnet50-v1", 64}, {"resnet152-v1", 64}}) {
    INFO(workload);
    CHECK(step(workload, batch, "parameter_server") < 0.995 * step(workload, batch, "replicated"));
  }
}

TEST_CASE("one accelerator with variables on the CPU still reads and writes them over PCIe") {
  const double alone = step("resnet50-v1", 64, "replicated", 1),
               served = step("resnet50-v1", 64, "parameter_server", 1);
  CHECK(served > alone);
  CHECK(served < 1.06 * alone);
}
