#include "kernels/cuda/operations/kernel_operations.hpp"

#include "catch.hpp"
#include "core/errors.hpp"
#include "kernels/cuda/cudnn/convolution_shape.hpp"
#include "kernels/cuda/operations/product_shape.hpp"
#include "tests/kernels/cuda/operations/host_executor.hpp"
#include "workloads/lowering/optimizer.hpp"
#include "workloads/model/layer_work.hpp"

namespace mlsim::kernels::cuda {
using namespace workloads;

namespace {

Bytes bytes_of(const KernelKey& key) {
  Bytes sum;
  for (const auto& name : operations_of(key)) sum += host_bytes(name);
  return sum;
}

}  // namespace

TEST_CASE("an elementwise kernel moves what the workload says") {
  for (const int launches : {1, 4}) {
    const KernelWork work = elementwise_work({4000, 2000, launches}, Precision::fp16);
    CHECK(bytes_of(work.key) == work.bytes);
    int launched = 0;
    for (const auto& name : operations_of(work.key)) launched += host_launches(name);
    CHECK(launched == launches);
  }
}

TEST_CASE("an update in one launch a pass moves at most what the workload says") {
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::momentum, Optimizer::adam, Optimizer::lars}) {
    const KernelWork work = optimizer_work(100000, 10, update_cost(optimizer, true).update.bytes);
    CHECK(bytes_of(work.key) == work.bytes);
  }
  // LAMB's first pass finds its norms on the way: 28 bytes instead of 32.
  const KernelWork lamb = optimizer_work(100000, 10, update_cost(Optimizer::lamb, true).norms.bytes);
  CHECK(operations_of(lamb.key).front().kind == "lamb_step");
  CHECK(bytes_of(lamb.key) == Bytes(28e5));
}

TEST_CASE("an update tensor by tensor is as many launches of as many bytes") {
  const UpdatePass pass = update_cost(Optimizer::adam, false).update;
  const KernelWork work = optimizer_work(120000, 4, pass.bytes, 4 * pass.kernels);
  CHECK(bytes_of(work.key).value == Approx(work.bytes.value).epsilon(1e-3));
  CHECK(host_launches(operations_of(work.key).front()) == 32);
}

TEST_CASE("losses and normalisations move the tensor as often as the workload says, or less") {
  const double tensor = 64.0 * 1000 * 2;  // bytes
  const auto passes = [&](KernelOp op) { return bytes_of({op, Precision::fp16, {64, 1000}}).value / tensor; };
  CHECK(passes(KernelOp::softmax_loss_forward) == Approx(2).epsilon(0.01));
  CHECK(passes(KernelOp::softmax_loss_backward) == Approx(3).epsilon(0.01));
  CHECK(passes(KernelOp::layer_norm_forward) == Approx(2).epsilon(0.1));
  CHECK(passes(KernelOp::layer_norm_backward) == Approx(3).epsilon(0.15));  // 4 there: x is read once here
}

TEST_CASE("a merged residual is read by the normalisation itself and what else is merged behind it") {
  const std::int64_t tensor = 64 * 1024;
  CHECK(operations_of({KernelOp::layer_norm_forward, Precision::fp16, {64, 1024}}).size() == 1);
  CHECK(operations_of({KernelOp::layer_norm_forward, Precision::fp16, {64, 1024, 2 * tensor}}).size() == 1);
  CHECK(operations_of({KernelOp::layer_norm_forward, Precision::fp16, {64, 1024, 3 * tensor}}).size() == 2);
  const auto beside = operations_of({KernelOp::matmul, Precision::fp16, {64, 64, 64, 0, 5001}});
  REQUIRE(beside.size() == 1);
  CHECK(beside[0].sizes == std::vector<std::int64_t>{2501, 2500, 1});
}

TEST_CASE("products and convolutions count what the workload counts") {
  const KernelKey matmul{KernelOp::matmul, Precision::fp16, {128, 64, 32, 16}};
  CHECK(product_of(matmul).flop() == Flop(2.0 * 128 * 64 * 32 * 16));
  CHECK(operations_of(matmul).empty());
  const KernelKey conv{KernelOp::conv_forward, Precision::fp16, {8, 64, 56, 56, 64, 3, 1}};
  CHECK(convolution_flop(convolution_of(conv)) == Flop(2.0 * 8 * 56 * 56 * 64 * 64 * 9));
  CHECK(convolution_bytes(convolution_of(conv), Precision::fp16) ==
        Bytes(2.0 * (2.0 * 8 * 56 * 56 * 64 + 64 * 64 * 9)));
}

TEST_CASE("operators without a CUDA kernel say so") {
  CHECK_THROWS_AS(operations_of({KernelOp::lstm_forward, Precision::fp32, {1, 2, 3}}), Unavailable);
  CHECK_THROWS_AS(operations_of({KernelOp::roi_align_backward, Precision::fp32, {1, 2, 3, 4}}), Unavailable);
}

}  // namespace mlsim::kernels::cuda
