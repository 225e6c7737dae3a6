#include "sim/parameter_server/server_plan.hpp"

namespace mlsim::sim {

ServerRates fitted_server_rates() {
  ServerRates rates;
  rates.sum = gigabytes_per_second(10);
  rates.rpc = gigabytes_per_second(1.1);
  rates.gpu_tensor = microseconds(300);
  rates.source = {
      Provenance::fitted,
      "sum: between 9 GB/s, at which the gradients of 8 accelerators just hide behind the backward pass of ResNet-50 "
      "at "
      "batch 32, and 20, at which those of AlexNet would too "
      "(tensorflow/tensorflow:docs_src/performance/benchmarks.md, "
      "DGX-1); rpc: horovod/horovod:README.md of 2017, Inception v3 and ResNet-101 in two runs and VGG-16 in the first "
      "on 4 nodes, together with EC2 K80 on 2 to 8 nodes of the former page; gpu_tensor: variables on GPU less "
      "variables on CPU of that README, Inception v3 and ResNet-101",
      "2017"};
  return rates;
}

}  // namespace mlsim::sim
