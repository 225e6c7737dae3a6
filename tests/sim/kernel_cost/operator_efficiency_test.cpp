#include "sim/kernel_cost/operator_efficiency.hpp"

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "costs/kernel_work.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "topologies/machine/accelerator_file.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

namespace {

KernelWork product(double m, double n, double k, Precision precision) {
  KernelWork work;
  work.key = {KernelOp::matmul, precision, DenseShape{}};
  work.gemm = {m, n, k};
  work.flop = Flop(2 * m * n * k);
  work.bytes = Bytes(2 * (m * k + k * n + m * n));
  return work;
}

KernelTime time_on(const std::string& accelerator, const KernelWork& work) {
  const std::vector<Profile> profiles = builtin_profiles();
  return KernelCost(load_accelerator(accelerator), work.key.precision, profiles).time(work);
}

}  // namespace

TEST_CASE("a large matrix product reaches the share of the peak that was measured") {
  const KernelTime time = time_on("a100-sxm4-80gb", product(8192, 8192, 8192, Precision::fp16));
  CHECK(2 * std::pow(8192.0, 3) / 312e12 / time.work.value == Approx(0.75).epsilon(0.01));
}

TEST_CASE("bf16 takes as long as fp16 where the data sheet has one rate for both") {
  for (const char* chip : {"a100-sxm4-80gb", "h100-sxm5", "b200-sxm"}) {
    INFO(chip);
    CHECK(time_on(chip, product(4096, 4096, 1024, Precision::fp16)).at(1) ==
          time_on(chip, product(4096, 4096, 1024, Precision::bf16)).at(1));
  }
  CHECK(same_rate(load_accelerator("h100-sxm5"), Precision::fp16, Precision::bf16));
  CHECK_FALSE(same_rate(load_accelerator("v100-sxm2-16gb"), Precision::fp16, Precision::bf16));
  CHECK_FALSE(same_rate(load_accelerator("h100-sxm5"), Precision::fp16, Precision::fp32));
}

TEST_CASE("no pace makes a product faster than the units' peak") {
  for (const char* chip : {"v100-sxm2-16gb", "a100-sxm4-80gb", "h100-sxm5", "k80", "mi300x", "tpu-v4", "tpu-v5p"}) {
    INFO(chip);
    const bool tpu = std::string(chip).starts_with("tpu");
    const KernelWork work = product(8192, 8192, 8192, tpu ? Precision::bf16 : Precision::fp32);
    const auto peaks = load_accelerator(chip).peak;  // what is called fp32 may run in tf32
    const auto units = !tpu && peaks.contains(Precision::tf32) ? Precision::tf32 : work.key.precision;
    const FlopPerSecond peak = peaks.at(units).value;
    CHECK(work.flop / (time_on(chip, work).at(1000) - time_on(chip, work).fixed) <= peak * (1 + 1e-12));
  }
}

TEST_CASE("an update and a look-up move no byte faster than the memory does") {
  for (const char* chip : {"v100-sxm2-16gb", "a100-sxm4-80gb", "tpu-v2", "tpu-v3", "tpu-v4"}) {
    INFO(chip);
    const AcceleratorSpec accelerator = load_accelerator(chip);
    const Precision precision = accelerator.family == AcceleratorFamily::tpu ? Precision::bf16 : Precision::fp16;
    const KernelCost cost(accelerator, precision, std::vector<Profile>(builtin_profiles()));
    KernelWork work;
    work.bytes = Bytes(1e9);
    for (const KernelOp op : {KernelOp::optimizer, KernelOp::gather, KernelOp::scatter_add}) {
      work.key.op = op;
      CHECK(work.bytes / cost.time(work).work <= accelerator.memory_bandwidth.value * (1 + 1e-12));
    }
  }
}

TEST_CASE("an accelerator of which nothing was measured has its kind's curve, a processor none") {
  const auto pooled = pooled_curve(load_accelerator("rtx-4090"), Precision::fp16);
  REQUIRE(pooled);
  CHECK(pooled->source.provenance == Provenance::assumed);
  CHECK(pooled->compute <= 1);
  CHECK_FALSE(pooled_curve(load_accelerator("xeon-8124m"), Precision::fp32));
  CHECK_FALSE(product_efficiency(load_accelerator("xeon-8124m"), Precision::fp32));
}

TEST_CASE("a recipe casts the operand of a product and multiplies it at its own rate") {
  const auto dense = [](KernelOp op, Precision precision) {
    KernelWork work = product(8192, 8192, 8192, precision);
    work.key = {op, precision, DenseShape{8192, 8192, 8192}};
    return work;
  };
  const double values = 8192.0 * 8192;
  CHECK(cast_bytes(dense(KernelOp::dense_forward, Precision::bf16)).cast.value == 0);
  CHECK(cast_bytes(dense(KernelOp::dense_weight_gradient, Precision::fp8)).cast.value == 0);
  const CastBytes blocks = cast_bytes(dense(KernelOp::dense_forward, Precision::mxfp8));
  CHECK(blocks.cast.value == Approx(values * (2 + 2 * (1 + 1.0 / 32))));
  CHECK(blocks.scale.value == 0);
  const CastBytes whole = cast_bytes(dense(KernelOp::dense_input_gradient, Precision::fp8));
  CHECK(whole.cast.value == Approx(values * (2 + 2)));
  CHECK(whole.scale.value == Approx(values));  // half of the steps read for it
  const AcceleratorSpec h100 = load_accelerator("h100-sxm5");
  const double flop = 2 * std::pow(8192.0, 3), bandwidth = 3350e9;
  const double units = flop / (1979e12 * 0.74), moved = 6 * values / (0.85 * bandwidth);
  const double cast = (4 / 0.91 + 1 / 0.39) * values / bandwidth;
  CHECK(time_on("h100-sxm5", dense(KernelOp::dense_forward, Precision::fp8)).work.value ==
        Approx(std::hypot(units, moved) + cast));
  CHECK(product_efficiency(h100, Precision::fp8_block)->compute == 0.61);
  CHECK(product_efficiency(load_accelerator("mi300x"), Precision::fp8)->compute < 0.69);  // no rows: pooled ratio
}

TEST_CASE("a product timed with the cast of its input takes what a GB300 took, whatever its width") {
  // TFLOP/s of m = 8192, k = 8192 in fp8 on TensorRT-LLM 1.3.0rc20 (ai-dynamo/aiconfigurator@095f58a51): the share of
  // the peak falls to an eighth for narrow products, though the units' own does not.
  const std::map<double, double> measured{{512, 0.12},  {1024, 0.21}, {2048, 0.31},
                                          {4096, 0.46}, {8192, 0.55}, {16384, 0.67}};
  for (const auto& [n, share] : measured) {
    INFO("n = " << n);
    KernelWork work = product(8192, n, 8192, Precision::fp8);
    work.key = {KernelOp::dense_forward, Precision::fp8, DenseShape{8192, 8192, std::int64_t(n)}};
    work.bytes = Bytes(8192 * 8192 + 8192 * n + 2 * 8192 * n);
    // That cast reads for a scale every time and writes rows alone.
    const double timed_cast = 8192.0 * 8192 * (3 / 0.64 + 2 / 0.39) / 8e12;
    const double own_cast = cast_time(work, load_accelerator("gb300"), BytesPerSecond(8e12)).value;
    const double said = time_on("gb300", work).work.value - own_cast + timed_cast;
    CHECK(work.flop.value / 5e15 / said == Approx(share).epsilon(0.3));
  }
}

TEST_CASE("products of a language model's step are slower than by themselves where the chip meets its limit of power") {
  const KernelWork work = product(8192, 8192, 8192, Precision::bf16);
  const std::vector<Profile> profiles = builtin_profiles();
  const KernelCost alone(load_accelerator("gb200"), Precision::bf16, profiles);
  const double once = alone.time(work).work.value, in_step = alone.by_operators().time(work).work.value;
  CHECK(in_step / once == Approx(1 / 0.82).epsilon(0.02));
  CHECK(direction_share(KernelOp::dense_weight_gradient) < direction_share(KernelOp::dense_forward));
}

TEST_CASE("products of heads that no matrix unit reads take the vector units' time in a language model's step") {
  const AcceleratorSpec a100 = load_accelerator("a100-sxm4-80gb");
  const KernelCost cost = KernelCost(a100, Precision::fp16, builtin_profiles()).by_operators();
  const auto time = [&](double channels) {
    return cost.time(product(2048, 2048, channels, Precision::fp16)).work.value;
  };
  // Padded to 32 channels in fp32, at the share of 19.5 TFLOP/s that products in fp32 reach.
  const double flop = 2.0 * 2048 * 2048 * 160, bytes = 2.0 * (2 * 2048 * 150 + 2048 * 2048);
  CHECK(time(150) == Approx(std::hypot(flop / (0.85 * 19.5e12), bytes / (0.85 * 2039e9))).epsilon(0.01));
  CHECK(time(150) > 3 * time(152));
  CHECK(time(225) > time(150));
}

TEST_CASE("a share of tuned software's steps holds for tuned software alone, and passes of others move more") {
  const KernelCost alone(load_accelerator("a100-sxm4-80gb"), Precision::bf16, builtin_profiles());
  StackTerm eager;
  eager.products = 1;
  eager.passes = 3;
  const KernelWork work = product(8192, 8192, 8192, Precision::bf16);
  const double once = alone.time(work).work.value;
  CHECK(alone.by_operators().time(work).work.value / once == Approx(1 / 0.8).epsilon(0.02));
  CHECK(alone.by_operators(eager).time(work).work.value == Approx(once));
  const KernelWork pass = costs::elementwise_work({1e9, 1e9}, Precision::bf16);
  CHECK(alone.by_operators(eager).time(pass).work / alone.by_operators().time(pass).work == Approx(3));
}

TEST_CASE("an LSTM of few samples reads its weights once where a GPU keeps them on chip") {
  const auto time = [](const char* chip, Precision precision, std::int64_t samples, std::int64_t hidden) {
    const KernelCost cost(load_accelerator(chip), precision, builtin_profiles());
    return cost.time(costs::kernel_work({KernelOp::lstm_forward, precision, LstmShape{samples, hidden, 200}}))
        .work.value;
  };
  const double weights = 200 * 4 * 1024.0 * 1024.0 * 2 / (2039e9 * 0.85);
  CHECK(time("a100-sxm4-80gb", Precision::fp16, 4, 1024) < 0.2 * weights);
  CHECK(time("a100-sxm4-80gb", Precision::fp16, 4, 1152) > weights);  // too wide to stay
  CHECK(time("a100-sxm4-80gb", Precision::fp32, 4, 1024) > weights);
  // The kernel that reads them is the quicker one from some 64 samples on, and no sample makes the step shorter.
  double before = 0;
  for (const std::int64_t samples : {4, 16, 32, 64, 96, 128, 256}) {
    const double now = time("a100-sxm4-80gb", Precision::fp16, samples, 1024);
    CHECK(now >= before);
    before = now;
  }
  CHECK(time("a100-sxm4-80gb", Precision::fp16, 128, 1024) > weights);
}

TEST_CASE("the first FlashAttention reaches a share of its successor's, and products are as they were") {
  const KernelCost flash = KernelCost(load_accelerator("a100-sxm4-80gb"), Precision::bf16, builtin_profiles());
  const KernelCost first = flash.with_first_flash();
  const KernelWork attention = costs::kernel_work(
      {KernelOp::flash_attention_forward, Precision::bf16, AttentionShape{32, 4096, 4096, 128, 128, 1}});
  CHECK(flash.time(attention).work / first.time(attention).work == Approx(kFirstFlash).epsilon(0.05));
  const KernelWork work = product(8192, 8192, 8192, Precision::bf16);
  CHECK(flash.time(work).work.value == first.time(work).work.value);
}

// MooreThreads/SimuMax, configs/system/b200_bf16_ceperm.json at 4dcaae5: shares of 2,250 TFLOP/s with gradients of weights
// that add up in fp32.
TEST_CASE("products of experts on a B200 reach what SimuMax timed") {
  struct Timed {
    DenseShape shape;
    double forward, weight_gradient;
  };
  const KernelCost cost(load_accelerator("b200-sxm"), Precision::bf16, std::vector<Profile>{});
  const auto share = [&](KernelOp op, const DenseShape& shape) {
    const KernelWork work = costs::kernel_work({op, Precision::bf16, shape});
    return work.flop.value / 2.25e15 / cost.by_operators().time(work).work.value;
  };
  for (const Timed& run : {Timed{{128, 7168, 4096, 256}, 0.208, 0.077}, Timed{{512, 7168, 4096, 64}, 0.367, 0.219},
                           Timed{{1024, 7168, 4096, 32}, 0.457, 0.289}, Timed{{616, 5120, 3072, 40}, 0.462, 0.258},
                           Timed{{2460, 1536, 5120, 40}, 0.496, 0.403}, Timed{{9832, 5120, 3072, 40}, 0.475, 0.419}}) {
    INFO(run.shape.products << " experts of " << run.shape.rows << " rows");
    CHECK(share(KernelOp::dense_forward, run.shape) == Approx(run.forward).epsilon(0.25));
    CHECK(share(KernelOp::dense_weight_gradient, run.shape) == Approx(run.weight_gradient).epsilon(0.3));
  }
}

TEST_CASE("gradients of experts' weights add up in fp32 in a language model's step, but not on TPUs") {
  const auto ratio = [](const char* chip, std::int64_t experts) {
    const DenseShape shape{64, 4096, 4096, experts};  // bound by its weights
    const KernelCost cost(load_accelerator(chip), Precision::bf16, std::vector<Profile>{});
    const KernelWork work = costs::kernel_work({KernelOp::dense_weight_gradient, Precision::bf16, shape});
    return cost.by_operators().time(work).work / cost.time(work).work;
  };
  CHECK(ratio("h100-sxm5", 8) > 3);
  CHECK(ratio("h100-sxm5", 1) < 1.5);
  CHECK(ratio("tpu-v5p", 8) < 1.3);
}
