#include "kernels/cpu_probes.hpp"

namespace mlsim::kernels {
namespace {

void add_twins(std::vector<std::string>& probes, const std::string& kernel, const std::string& sizes) {
  for (const char* variant : {" fused fp32 ", " unfused fp32 "}) probes.push_back(kernel + variant + sizes);
}

}  // namespace

std::vector<std::string> cpu_probes(bool quick) {
  // 256 MiB leave every cache but the largest shared ones; 1 MiB stays in a core's own.
  std::vector<std::string> probes{"copy fp32 268435456", "gemm fp32 2048 2048 2048"};
  if (!quick) {
    for (const char* bytes : {"1048576", "8388608", "67108864"}) probes.push_back(std::string("copy fp32 ") + bytes);
    for (const char* sizes : {"512 512 512", "1024 1024 1024", "4096 4096 4096"})
      probes.push_back(std::string("gemm fp32 ") + sizes);
  }
  add_twins(probes, "bias_relu", "8192 1024");
  add_twins(probes, "norm_relu_add", "131072 16");
  add_twins(probes, "softmax_cross_entropy", "8192 1000");
  // ResNet-20 and ResNet-50: many small tensors and fewer large ones.
  const std::vector<std::string> models =
      quick ? std::vector<std::string>{"272474 65"} : std::vector<std::string>{"272474 65", "25557032 161"};
  for (const auto& sizes : models) {
    for (const char* rule : {"sgd", "momentum", "lars", "adam", "lamb"}) add_twins(probes, rule, sizes);
  }
  add_twins(probes, "logistic_step", "128 2000");
  if (!quick) add_twins(probes, "logistic_step", "8192 2000");
  return probes;
}

}  // namespace mlsim::kernels
