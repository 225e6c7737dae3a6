// A key alone tells what a step graph counts for its kernel.
#include <cmath>

#include "catch.hpp"
#include "costs/kernel_work.hpp"
#include "workloads/lowering/lowering.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::vector<KernelWork> step_kernels(const std::string& model, Optimizer optimizer) {
  StepPlan plan;
  plan.batch_per_accelerator = 8;
  plan.optimizer = optimizer;
  const StepGraph graph = lower(load_model(model), plan);
  std::vector<KernelWork> kernels;
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex)
    if (graph[vertex].kind == NodeKind::kernel) kernels.push_back(*graph[vertex].work);
  return kernels;
}

// Elements of biases, which a key does not tell.
double most_biases(const KernelKey& key) {
  if (const auto* dense = std::get_if<DenseShape>(&key.shape)) return double(dense->products * dense->outputs) * 2;
  if (const auto* windows = std::get_if<ConvolutionShape>(&key.shape)) return double(windows->outputs);
  return 0;
}

}  // namespace

TEST_CASE("a key tells the work that a step graph gives its kernel, but for biases") {
  const auto optimizer = GENERATE(Optimizer::momentum, Optimizer::nesterov, Optimizer::lars, Optimizer::lamb);
  for (const std::string model : {"resnet20-cifar", "resnet50", "logreg-epsilon", "bert-base", "gnmt", "vgg16"}) {
    for (const KernelWork& truth : step_kernels(model, optimizer)) {
      const KernelWork work = costs::kernel_work(truth.key);
      INFO(model << ": " << to_text(truth.key));
      CHECK(parse_kernel_key(to_text(truth.key)) == truth.key);
      CHECK(work.key == truth.key);
      CHECK(std::abs(work.flop.value - truth.flop.value) <= 1e-9 * truth.flop.value);
      const Bytes biases = truth.bytes - work.bytes;
      CHECK(biases >= Bytes(-2));  // keys round the elements that are merged
      CHECK(biases <= element_size(truth.key.precision) * most_biases(truth.key) + Bytes(2));
      CHECK(work.gemm == truth.gemm);
      CHECK(work.products == truth.products);
      CHECK(work.launches == truth.launches);
      CHECK(work.fast_fp32_convolution == truth.fast_fp32_convolution);
    }
  }
}
