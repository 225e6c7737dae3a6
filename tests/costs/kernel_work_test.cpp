#include "costs/kernel_work.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;
using costs::kernel_work;

namespace {

KernelWork work_of(const std::string& text) { return kernel_work(parse_kernel_key(text)); }

}  // namespace

TEST_CASE("a dense kernel of 2 rows, 3 inputs and 4 outputs multiplies 24 times and moves 26 elements") {
  const KernelWork work = work_of("dense_forward fp32 2 3 4");
  CHECK(work.flop == Flop(48));
  CHECK(work.bytes == Bytes(4 * (6 + 12 + 8)));
  CHECK(work.gemm == GemmShape{2, 4, 3});
  CHECK(work_of("dense_input_gradient fp32 2 3 4").gemm == GemmShape{2, 3, 4});
  CHECK(work_of("dense_weight_gradient fp32 2 3 4").gemm == GemmShape{3, 4, 2});
}

TEST_CASE("equal products multiply FLOP and bytes") {
  const KernelWork one = work_of("matmul fp16 3 5 7"), four = work_of("matmul fp16 3 5 7 4");
  CHECK(one.bytes == Bytes(2 * (21 + 35 + 15)));
  CHECK((four.flop == one.flop * 4 && four.bytes == one.bytes * 4));
  CHECK((four.gemm == one.gemm && four.products == 4));
}

TEST_CASE("a 3x3 convolution of one channel on 4x4 pixels has 144 taps and skips no pixel") {
  const KernelWork work = work_of("conv_forward fp32 1 1 4 4 1 3 1");
  CHECK(work.flop == Flop(2.0 * 16 * 9));
  CHECK(work.bytes == Bytes(4 * (16 + 16 + 9)));
  CHECK(work.gemm == GemmShape{16, 1, 9});
}

TEST_CASE("a 1x1 convolution of stride 2 reads every other row and column, and its input gradient writes all") {
  CHECK(work_of("conv_forward fp32 1 8 4 4 8 1 2").bytes == Bytes(4 * (8 * 4 + 8 * 4 + 64)));
  CHECK(work_of("conv_input_gradient fp32 1 8 4 4 8 1 2").bytes == Bytes(4 * (8 * 16 + 8 * 4 + 64)));
  CHECK(work_of("conv_input_gradient fp32 1 8 4 4 8 1 2").gemm == GemmShape{4, 8, 8});
}

TEST_CASE("a depthwise convolution has no matrix product, a grouped one has one a group") {
  CHECK(work_of("conv_forward fp32 1 8 4 4 8 3 1 0 0 8").gemm == GemmShape{});
  const KernelWork grouped = work_of("conv_forward fp32 1 8 4 4 8 3 1 0 0 2");
  CHECK((grouped.products == 2 && grouped.gemm == GemmShape{16, 4, 36}));
}

TEST_CASE("fused attention moves its operands and a number a query, and has five products backward for two forward") {
  // 3 heads of 10 queries, 20 keys, 4 channels of keys and 6 of values.
  const KernelWork forward = work_of("flash_attention_forward bf16 3 10 20 4 6");
  CHECK(forward.flop == Flop(3 * 2.0 * 10 * 20 * (4 + 6)));
  CHECK(forward.bytes == Bytes(3 * (2.0 * (10 * 4 + 20 * 4 + 20 * 6 + 10 * 6) + 4 * 10)));
  const KernelWork backward = work_of("flash_attention_backward bf16 3 10 20 4 6");
  CHECK(backward.flop == Flop(3 * 2.0 * 10 * 20 * (3 * 4 + 2 * 6)));
  CHECK(backward.bytes == Bytes(3 * (2.0 * 2 * (10 * 4 + 20 * 4 + 20 * 6 + 10 * 6) + 4 * 10)));
  CHECK((forward.launches == 1 && backward.launches == 1));
  const auto causal = [](const char* op) { return work_of(std::string(op) + " bf16 3 16 16 4 0 1").flop.value; };
  CHECK(causal("flash_attention_forward") == 2.0 * 3 * 16 * 16 * 4);
  CHECK(causal("flash_attention_backward") == 2.5 * causal("flash_attention_forward"));
}

TEST_CASE("heads that share keys read them once, and a window leaves a band of pairs") {
  const KernelWork shared = work_of("flash_attention_forward bf16 8 16 16 4 0 1 2");
  CHECK(shared.flop == work_of("flash_attention_forward bf16 8 16 16 4 0 1").flop);
  CHECK(shared.bytes == Bytes(2.0 * (8 * 16 * (4 + 4) + 2 * 16 * (4 + 4)) + 4 * 8 * 16));
  // Of 100 keys and the last 10 of them, 100 * 10 - 10 * 10 / 2 pairs.
  CHECK(work_of("flash_attention_forward bf16 1 100 100 4 0 1 0 10").flop == Flop(2.0 * 950 * 8));
  CHECK(work_of("flash_attention_forward bf16 1 100 100 4 0 1 0 1000").flop ==
        work_of("flash_attention_forward bf16 1 100 100 4 0 1").flop);
}

TEST_CASE("an LSTM launches a kernel a step") {
  const KernelWork work = work_of("lstm_forward fp32 2 3 5");
  CHECK((work.launches == 5 && work.products == 5));
  CHECK(work.flop == Flop(2.0 * 2 * 12 * 3 * 5));
  CHECK(work.bytes == Bytes(4.0 * 5 * (12 * 3 + 2 * 12 * 3)));
}

TEST_CASE("rows from anywhere move whole sectors of 32 bytes") {
  // 3 rows of 12 bytes: a sector, the row and its number each.
  CHECK(work_of("gather fp32 3 3 100").bytes == Bytes(3 * (32 + 12 + 4)));
  // A dense gradient of 100 rows is cleared; a row of it is read and written.
  CHECK(work_of("scatter_add fp32 3 3 100").bytes == Bytes(3 * (12 + 64 + 4) + 1200));
  CHECK(work_of("scatter_add fp32 3 3").bytes == Bytes(3 * (12 + 12 + 4)));
}

TEST_CASE("a region's gradient clears, reads and writes its map") {
  CHECK(work_of("roi_align_forward fp32 1 10 2 50").bytes == Bytes(4 * (100 + 20)));
  CHECK(work_of("roi_align_backward fp32 1 10 2 50").bytes == Bytes(4 * (300 + 20)));
}

TEST_CASE("normalisations, pools and losses pass over their tensor") {
  const auto passes = [](const std::string& op, const std::string& numbers, double elements) {
    return work_of(op + " fp32 " + numbers).bytes.value / 4 / elements;
  };
  CHECK(passes("batch_norm_forward", "10 8", 80) == 2.5);
  CHECK(passes("batch_norm_backward", "10 8", 80) == 5);
  CHECK(passes("layer_norm_forward", "10 8", 80) == 3);
  CHECK(passes("layer_norm_backward", "10 8", 80) == 4);
  CHECK(passes("max_pool_forward", "1 2 4 4 2 2", 32) == Approx(1.2));
  CHECK(passes("average_pool_backward", "1 2 4 4 2 2", 32) == 2);
  CHECK(passes("softmax_loss_forward", "10 8", 80) == 2);
  CHECK(passes("sigmoid_loss_backward", "80", 80) == 3);
}

TEST_CASE("elementwise kernels and updates move what they say") {
  CHECK(work_of("elementwise fp16 7 9").bytes == Bytes(2 * 16));
  CHECK(work_of("elementwise fp16 7 9 3").launches == 3);
  CHECK(work_of("optimizer fp32 1000 7 20").bytes == Bytes(20000));
  CHECK(work_of("optimizer fp32 1000 7 80 56").launches == 56);
}

TEST_CASE("what merged layers move beside a kernel counts as bytes") {
  const KernelWork plain = work_of("conv_forward fp32 1 16 8 8 16 3 1");
  CHECK(work_of("conv_forward fp32 1 16 8 8 16 3 1 0 0 0 1024").bytes == plain.bytes + Bytes(4096));
  KernelWork host = plain;
  costs::merge(host, costs::elementwise_work({600, 424}, Precision::fp32));
  CHECK(to_text(host.key) == "conv_forward fp32 1 16 8 8 16 3 1 0 0 0 1024");
  CHECK(host.bytes == plain.bytes + Bytes(4096));
  KernelWork look_up = work_of("gather fp32 3 3 100");
  CHECK_THROWS_AS(costs::merge(look_up, costs::elementwise_work({1, 1}, Precision::fp32)), std::logic_error);
}

TEST_CASE("a fraction of a batch, biases and the layer's own windows count beyond the key") {
  const KernelKey key = parse_kernel_key("conv_forward fp32 1 2 4 4 2 3 1");
  CHECK(kernel_work(key, {.count = 0.5}).flop == kernel_work(key).flop * 0.5);
  CHECK(kernel_work(key, {.biases = 2}).bytes == kernel_work(key).bytes + Bytes(8));
  // Unpadded, 6 x 6 pixels give as many windows.
  const costs::Windows unpadded{6, 6, 4, 4, 0, 0};
  CHECK(kernel_work(key, {.windows = unpadded}).flop == kernel_work(key).flop);
  CHECK(kernel_work(key, {.windows = unpadded}).bytes == kernel_work(key).bytes + Bytes(4.0 * 2 * (36 - 16)));
}
