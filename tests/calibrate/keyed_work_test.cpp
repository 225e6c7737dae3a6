#include "calibrate/keyed_work.hpp"

#include <cmath>

#include "catch.hpp"
#include "workloads/lowering/lowering.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// Kernels of one step, each once.
std::vector<KernelWork> step_kernels(const std::string& model) {
  StepPlan plan;
  plan.batch_per_accelerator = 8;
  const StepGraph graph = lower(load_model(model), plan);
  std::vector<KernelWork> kernels;
  for (const auto vertex : boost::make_iterator_range(boost::vertices(graph)))
    if (graph[vertex].kind == NodeKind::kernel) kernels.push_back(graph[vertex].work);
  return kernels;
}

}  // namespace

TEST_CASE("a key tells the work that a step graph gives its kernel, but for biases, paddings and parts of a table") {
  for (const std::string model : {"resnet20-cifar", "resnet50", "logreg-epsilon", "bert-base", "gnmt", "vgg16"}) {
    for (const KernelWork& truth : step_kernels(model)) {
      const KernelWork work = keyed_work(truth.key);
      INFO(model << ": " << to_text(truth.key));
      CHECK(work.key == truth.key);
      CHECK(std::abs(work.flop.value - truth.flop.value) <= 1e-9 * truth.flop.value);
      CHECK(std::abs(work.bytes / truth.bytes - 1) < 0.02);
      CHECK(work.gemm == truth.gemm);
      CHECK(work.products == truth.products);
      CHECK(work.launches == truth.launches);
      CHECK(work.fast_fp32_convolution == truth.fast_fp32_convolution);
    }
  }
}

TEST_CASE("what merged layers move beside a kernel counts as bytes") {
  const auto plain = parse_kernel_key("conv_forward fp32 1 16 8 8 16 3 1");
  const auto merged = parse_kernel_key("conv_forward fp32 1 16 8 8 16 3 1 0 0 0 1024");
  CHECK((keyed_work(merged).bytes - keyed_work(plain).bytes) == Bytes(4096));
}

TEST_CASE("a dense kernel of 2 rows, 3 inputs and 4 outputs multiplies 24 times and moves 26 elements") {
  const KernelWork work = keyed_work(parse_kernel_key("dense_forward fp32 2 3 4"));
  CHECK(work.flop == Flop(48));
  CHECK(work.bytes == Bytes(4 * (6 + 12 + 8)));
}
