#include "kernels/cuda/operations/kernel_operations.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "costs/kernel_work.hpp"
#include "kernels/cuda/cudnn/image_windows.hpp"
#include "kernels/cuda/operations/product_layout.hpp"
#include "tests/kernels/cuda/operations/host_executor.hpp"
#include "workloads/lowering/optimizer.hpp"

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
    const KernelWork work = costs::elementwise_work({4000, 2000, launches}, Precision::fp16);
    CHECK(bytes_of(work.key) == work.bytes);
    int launched = 0;
    for (const auto& name : operations_of(work.key)) launched += host_launches(name);
    CHECK(launched == launches);
  }
}

TEST_CASE("an update in one launch a pass moves at most what the workload says") {
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::momentum, Optimizer::nesterov, Optimizer::averaged_sgd,
                                    Optimizer::adagrad, Optimizer::adam, Optimizer::lars}) {
    INFO(name(optimizer));
    const KernelWork work = update_work(update_cost(optimizer, true).update, 100000, 10);
    CHECK(bytes_of(work.key) == work.bytes);
  }
  CHECK(operations_of(update_work(update_cost(Optimizer::nesterov, true).update, 100000, 10).key).front().kind ==
        "nesterov");
  // LAMB's first pass finds its norms on the way: 28 bytes instead of 32.
  const KernelWork lamb = update_work(update_cost(Optimizer::lamb, true).norms, 100000, 10);
  CHECK(operations_of(lamb.key).front().kind == "lamb_step");
  CHECK(bytes_of(lamb.key) == Bytes(28e5));
}

TEST_CASE("an update tensor by tensor is as many launches of as many bytes") {
  const UpdatePass pass = update_cost(Optimizer::adam, false).update;
  const KernelWork work = update_work(pass, 120000, 4, 4 * pass.kernels);
  CHECK(bytes_of(work.key).value == Approx(work.bytes.value).epsilon(1e-3));
  CHECK(host_launches(operations_of(work.key).front()) == 32);
}

TEST_CASE("losses and normalisations move the tensor as often as the workload says, or less") {
  const double tensor = 64.0 * 1000 * 2;  // bytes
  const auto passes = [&](KernelOp op) {
    const KernelShape shape = std::holds_alternative<LossShape>(shape_family(op)) ? KernelShape(LossShape{64, 1000})
                                                                                  : KernelShape(RowsShape{64, 1000});
    return bytes_of({op, Precision::fp16, shape}).value / tensor;
  };
  CHECK(passes(KernelOp::softmax_loss_forward) == Approx(2).epsilon(0.01));
  CHECK(passes(KernelOp::softmax_loss_backward) == Approx(3).epsilon(0.01));
  CHECK(passes(KernelOp::layer_norm_forward) == Approx(2).epsilon(0.1));
  CHECK(passes(KernelOp::layer_norm_backward) == Approx(3).epsilon(0.15));  // 4 there: x is read once here
}

TEST_CASE("a merged residual is read by the normalisation itself and what else is merged behind it") {
  const std::int64_t tensor = 64 * 1024;
  CHECK(operations_of({KernelOp::layer_norm_forward, Precision::fp16, RowsShape{64, 1024}}).size() == 1);
  CHECK(operations_of({KernelOp::layer_norm_forward, Precision::fp16, RowsShape{64, 1024, 2 * tensor}}).size() == 1);
  CHECK(operations_of({KernelOp::layer_norm_forward, Precision::fp16, RowsShape{64, 1024, 3 * tensor}}).size() == 2);
  const auto beside = operations_of({KernelOp::matmul, Precision::fp16, ProductShape{64, 64, 64, 1, 5001}});
  REQUIRE(beside.size() == 1);
  CHECK(beside[0].sizes == std::vector<std::int64_t>{2501, 2500, 1});
}

TEST_CASE("products and convolutions count what the workload counts") {
  const KernelKey matmul{KernelOp::matmul, Precision::fp16, ProductShape{128, 64, 32, 16}};
  CHECK(product_of(matmul).flop() == Flop(2.0 * 128 * 64 * 32 * 16));
  CHECK(operations_of(matmul).empty());
  const KernelKey conv{KernelOp::conv_forward, Precision::fp16, ConvolutionShape{8, 64, 56, 56, 64, 3, 1}};
  CHECK(convolution_flop(convolution_of(conv)) == Flop(2.0 * 8 * 56 * 56 * 64 * 64 * 9));
  CHECK(convolution_bytes(convolution_of(conv), Precision::fp16) ==
        Bytes(2.0 * (2.0 * 8 * 56 * 56 * 64 + 64 * 64 * 9)));
}

TEST_CASE("operators without a CUDA kernel say so") {
  CHECK_THROWS_AS(operations_of({KernelOp::lstm_forward, Precision::fp32, LstmShape{1, 2, 3}}), Unavailable);
  CHECK_THROWS_AS(operations_of({KernelOp::roi_align_backward, Precision::fp32, RegionShape{1, 2, 3, 4}}), Unavailable);
}

}  // namespace mlsim::kernels::cuda
