
#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "costs/kernel_work.hpp"
#include "sim/kernel_cost/done_work.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "topologies/machine/accelerator_file.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr double kTensor = 2.0 * 1000 * 64;  // bytes of 1000 rows of 64 channels in bf16

KernelWork normalization(KernelOp op, std::int64_t merged = 0) {
  return costs::kernel_work({op, Precision::bf16, RowsShape{1000, 64, merged}});
}

KernelWork convolution() {
  return costs::kernel_work({KernelOp::conv_forward, Precision::bf16, ConvolutionShape{128, 64, 56, 56, 256, 1, 1}});
}

}  // namespace

TEST_CASE("a batch normalisation between convolutions leaves no pass forward and three backward") {
  CHECK(fused_bytes(normalization(KernelOp::batch_norm_forward)).value == 0);
  CHECK(fused_bytes(normalization(KernelOp::batch_norm_backward)).value == Approx(3 * kTensor));
}

TEST_CASE("with a shortcut its result is read, the shortcut too, and the sum written") {
  const KernelWork sum = normalization(KernelOp::batch_norm_forward, 1000 * 64);
  CHECK(sum.bytes.value == Approx(3.5 * kTensor));
  CHECK(fused_bytes(sum).value == Approx(3 * kTensor));
}

TEST_CASE("other kernels move what they move") {
  for (const KernelWork& work : {convolution(), normalization(KernelOp::layer_norm_forward)})
    CHECK(fused_bytes(work) == work.bytes);
}

TEST_CASE("a TPU reads memory under computation, at most as fast as the data sheet says") {
  for (const char* chip : {"tpu-v2", "tpu-v3", "tpu-v4", "tpu-v5p"}) {
    INFO(chip);
    const AcceleratorSpec accelerator = load_accelerator(chip);
    const KernelCost cost(accelerator, Precision::bf16, std::vector<Profile>(builtin_profiles()));
    CHECK(cost.curve().memory <= 1);
    CHECK(cost.curve().compute <= 1);
    const KernelWork work = convolution();
    const double units = (padded_flop(work, Precision::bf16) / (cost.peak() * cost.curve().compute)).value;
    const double moved = (work.bytes / (accelerator.memory_bandwidth.value * cost.curve().memory)).value;
    CHECK(cost.time(work).work.value == Approx(std::sqrt(units * units + moved * moved)));
  }
}

TEST_CASE("a batch that fills no tiles merges no passes and reads none ahead, where the chip needs full tiles") {
  const AcceleratorSpec accelerator = load_accelerator("tpu-v3");
  const KernelCost cost(accelerator, Precision::bf16, std::vector<Profile>(builtin_profiles()));
  REQUIRE(cost.curve().full_batch == 128.0);
  for (const KernelWork& work : {convolution(), normalization(KernelOp::batch_norm_backward)}) {
    const double units = (padded_flop(work, Precision::bf16) / (cost.peak() * cost.curve().compute)).value;
    const double moved = (work.bytes / (accelerator.memory_bandwidth.value * cost.curve().memory)).value;
    CHECK(cost.for_images(128).time(work).work == cost.time(work).work);
    CHECK(cost.for_images(127).time(work).work.value == Approx(units + moved));
  }
  const KernelCost later(load_accelerator("tpu-v4"), Precision::bf16, std::vector<Profile>(builtin_profiles()));
  CHECK(later.for_images(1).time(convolution()).work == later.time(convolution()).work);
}
