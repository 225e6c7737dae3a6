#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/kernel_cost/done_work.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "costs/kernel_time.hpp"
#include "costs/kernel_work.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

AcceleratorSpec chip() {
  AcceleratorSpec spec;
  spec.name = "chip";
  spec.title = "Chip";
  spec.peak[Precision::bf16] = {FlopPerSecond(100e12), {}};
  spec.peak[Precision::fp32] = {FlopPerSecond(10e12), {}};
  spec.memory_bandwidth = {gigabytes_per_second(1000), {}};
  spec.kernel_launch = {microseconds(3), {}};
  spec.family = AcceleratorFamily::cpu;  // whose kernels have only the curve that is given
  return spec;
}

KernelWork product(double m, double n, double k) {
  KernelWork work;
  work.key = {KernelOp::dense_forward, Precision::bf16, DenseShape{std::int64_t(m), std::int64_t(n), std::int64_t(k)}};
  work.gemm = {m, n, k};
  work.flop = Flop(2 * m * n * k);
  work.bytes = Bytes(2 * (m * k + k * n + m * n));
  return work;
}

Profile profile_with(EfficiencyCurve curve) {
  Profile profile;
  profile.accelerator = "chip";
  profile.efficiency.push_back(std::move(curve));
  return profile;
}

}  // namespace

TEST_CASE("a matrix product is padded to whole tiles") {
  CHECK(padded_flop(product(128, 128, 64), Precision::bf16).value == 2.0 * 128 * 128 * 64);
  CHECK(padded_flop(product(129, 1, 3), Precision::bf16).value == 2.0 * 256 * 128 * 8);
  CHECK(padded_flop(product(129, 1, 3), Precision::fp32).value == 2.0 * 256 * 128 * 32);
}

TEST_CASE("equal products are padded one by one, and every launch takes its time") {
  KernelWork one = product(16, 16, 16), many = one;
  many.products = 10;
  many.launches = 7;
  CHECK(padded_flop(many, Precision::bf16).value == 10 * 2.0 * 128 * 128 * 16);
  const KernelCost roofline(chip(), Precision::bf16, {});
  CHECK(roofline.time(many).fixed.value == Approx(7 * 3e-6));
  const Profile profile = profile_with({Precision::bf16, 0.5, 0.8, microseconds(10), {Provenance::fitted, "fit", ""}});
  const KernelCost curve(chip(), Precision::bf16, {profile});
  CHECK(curve.time(many).fixed.value == Approx(7e-5));
  CHECK((curve.time(many).work - curve.time(one).work).value == Approx(9 * 2.0 * 128 * 128 * 16 / 50e12));
}

TEST_CASE("a fast convolution gains in fp32 only") {
  KernelWork work = product(128, 128, 32);
  work.fast_fp32_convolution = true;
  CHECK(padded_flop(work, Precision::fp32).value == Approx(2.0 * 128 * 128 * 32 / 1.5));
  CHECK(padded_flop(work, Precision::bf16).value == 2.0 * 128 * 128 * 32);
}

TEST_CASE("no pace brings a kernel under what its units allow, 2.25 and 2.78 times less for Winograd's") {
  KernelWork work = product(128, 128, 128);
  ConvolutionShape shape{32, 64, 56, 56, 64, 3, 1};
  const auto least = [&](Precision precision) {
    work.key = {KernelOp::conv_forward, precision, shape};
    const Profile profile = profile_with({precision, 0.5, 0.8, microseconds(10), {Provenance::fitted, "fit", ""}});
    const Seconds curve = KernelCost(chip(), precision, {profile}).time(work).least;
    CHECK(KernelCost(chip(), precision, {}).time(work).least == curve);  // by the roofline
    return work.flop / curve / chip().peak.at(precision).value;
  };
  work.fast_fp32_convolution = true;
  CHECK(least(Precision::fp32) == Approx(2.25));
  CHECK(least(Precision::bf16) == Approx(1));
  shape.kernel_h = shape.kernel_w = 5;
  CHECK(least(Precision::fp32) == Approx(100.0 / 36));
  shape.kernel_w = 3;
  CHECK(least(Precision::fp32) == Approx(1));
  shape.kernel_h = shape.kernel_w = 3;
  work.fast_fp32_convolution = false;  // strided
  CHECK(least(Precision::fp32) == Approx(1));
  const KernelTime time = KernelCost(chip(), Precision::bf16, {}).time(product(4096, 4096, 4096));
  CHECK(time.at(1e6) == time.least + time.fixed);
}

TEST_CASE("without a profile a kernel costs its roofline and a launch") {
  const KernelCost cost(chip(), Precision::bf16, {});
  const KernelTime time = cost.time(product(128, 128, 128));
  CHECK(time.basis == CostBasis::roofline);
  CHECK(time.work.value == Approx(2.0 * 3 * 128 * 128 / 1e12));  // memory-bound: 98 KB at 1 TB/s
  CHECK(time.fixed.value == Approx(3e-6));
}

TEST_CASE("an efficiency curve adds compute, memory and a time per kernel") {
  const Profile profile = profile_with({Precision::bf16, 0.5, 0.8, microseconds(10), {Provenance::fitted, "fit", ""}});
  const KernelCost cost(chip(), Precision::bf16, {profile});
  const KernelWork work = product(1024, 1024, 1024);
  const KernelTime time = cost.time(work);
  CHECK(time.basis == CostBasis::efficiency_curve);
  CHECK(time.work.value == Approx(work.flop.value / 50e12 + work.bytes.value / 800e9));
  CHECK(time.fixed.value == Approx(1e-5));
}

TEST_CASE("a measured kernel wins over the curve, and the first profile over the next") {
  Profile near = profile_with({Precision::bf16, 0.5, 0.8, microseconds(10), {}});
  Profile far = near;
  const KernelWork work = product(256, 256, 256);
  near.kernels.push_back({work.key,
                          0,
                          Cache::cold,
                          {microseconds(7), microseconds(6), microseconds(8), 20},
                          {Provenance::measured, "near", ""}});
  far.kernels.push_back({work.key,
                         0,
                         Cache::cold,
                         {microseconds(70), microseconds(60), microseconds(80), 20},
                         {Provenance::measured, "far", ""}});
  const KernelTime time = KernelCost(chip(), Precision::bf16, {near, far}).time(work);
  CHECK(time.basis == CostBasis::measured);
  CHECK((time.work + time.fixed).value == Approx(7e-6));
}

TEST_CASE("profiles of another accelerator are not used") {
  Profile other = profile_with({Precision::bf16, 0.5, 0.8, microseconds(10), {}});
  other.accelerator = "other";
  CHECK(KernelCost(chip(), Precision::bf16, {other}).time(product(128, 128, 128)).basis == CostBasis::roofline);
}

TEST_CASE("fused attention has its own share of the peak, of 16 bits also in a step of 8") {
  AcceleratorSpec gpu = chip();
  gpu.family = AcceleratorFamily::gpu;
  gpu.peak[Precision::fp8] = {FlopPerSecond(200e12), {}};
  const auto work_part = [&](Precision step, const char* key) {
    const KernelWork work = costs::kernel_work(parse_kernel_key(key));
    const KernelTime time = KernelCost(gpu, step, {}).time(work);
    CHECK(time.work > time.least);
    return time.work.value;
  };
  const std::string shape = " bf16 32 4096 4096 128 0 1";
  const double flop = 32 * 2.0 * 4096 * 4096 * 128, operand = 32 * 2.0 * 4096 * 128, sums = 32 * 4.0 * 4096;
  const double ramp = 1 + 600.0 / 4096;
  const auto expected = [&](double flops, double share, double bytes) {
    return std::hypot(flops / (100e12 * share), bytes / (1e12 * 0.85));
  };
  const std::string forward = "flash_attention_forward" + shape, backward = "flash_attention_backward" + shape;
  CHECK(work_part(Precision::bf16, forward.c_str()) == Approx(expected(flop, 0.59 / ramp, 4 * operand + sums)));
  CHECK(work_part(Precision::bf16, backward.c_str()) == Approx(expected(2.5 * flop, 0.44, 8 * operand + sums)));
  CHECK(work_part(Precision::fp8, forward.c_str()) == work_part(Precision::bf16, forward.c_str()));
}

TEST_CASE("small matrix products cost efficiency") {
  const Profile profile = profile_with({Precision::bf16, 0.5, 0.8, microseconds(10), {}});
  const KernelCost cost(chip(), Precision::bf16, {profile});
  const auto per_row = [&](double rows) {
    const KernelTime time = cost.time(product(rows, 512, 512));
    return (time.work + time.fixed).value / rows;
  };
  CHECK(per_row(16) > 4 * per_row(4096));
}

TEST_CASE("a chip without any usable rate is refused by name") {
  AcceleratorSpec blank = chip();
  blank.peak.clear();
  CHECK_THROWS_AS(KernelCost(blank, Precision::bf16, {}), Infeasible);
}

TEST_CASE("a chip with twice the rates takes half the work and the same launches") {
  const KernelWork work = product(4096, 4096, 4096);
  const KernelCost cost(chip(), Precision::bf16, {});
  const KernelTime now = cost.time(work);
  CHECK(cost.scaled(2, 1).time(work).work.value == Approx(now.work.value / 2));
  CHECK(cost.scaled(1, 2).time(work).work == now.work);
  CHECK(cost.scaled(2, 2).time(work).fixed == now.fixed);
  // A measured kernel changes in the same proportion.
  Profile profile;
  profile.accelerator = "chip";
  profile.kernels.push_back({work.key, 0, Cache::cold, {Seconds(1), Seconds(1), Seconds(1), 5}, {}});
  const KernelCost measured(chip(), Precision::bf16, {profile});
  const double change = (now.work / 2 + now.fixed) / (now.work + now.fixed);
  CHECK(measured.time(work).fixed == Seconds(1));
  CHECK(measured.scaled(2, 1).time(work).fixed.value == Approx(change));
}

TEST_CASE("a law of measured kernels goes before the curve, after a measured kernel, and follows no anchor") {
  Profile profile = profile_with({Precision::bf16, 0.5, 0.8, microseconds(10), {}});
  KernelLaw law;
  law.ops = {KernelOp::dense_forward};
  law.precision = Precision::bf16;
  law.constants = {FlopPerSecond(50e12), BytesPerSecond(1e30), microseconds(2)};
  law.source = {Provenance::fitted, "law", ""};
  profile.laws = {law};
  const KernelWork work = product(1024, 1024, 1024);
  const KernelTime time = KernelCost(chip(), Precision::bf16, {profile}).time(work);
  CHECK(time.basis == CostBasis::law);
  CHECK(time.work == Seconds(0));
  CHECK(time.fixed.value == Approx(2e-6 + work.flop.value / 50e12));
  CHECK(KernelCost(chip(), Precision::bf16, {profile}).source(CostBasis::law).source == "law");
  CHECK(KernelCost(chip(), Precision::bf16, {profile}).curves_only().time(work).basis == CostBasis::efficiency_curve);
  profile.kernels.push_back({work.key, 0, Cache::cold, {Seconds(1), Seconds(1), Seconds(1), 5}, {}});
  CHECK(KernelCost(chip(), Precision::bf16, {profile}).time(work).basis == CostBasis::measured);
}

TEST_CASE("a step that the last level of cache holds finds its operands there, a larger one does not") {
  const KernelWork work = product(256, 256, 256);
  Profile profile;
  profile.accelerator = "chip";
  profile.environment["last_level_cache"] = "32 MiB";
  const auto sample = [&](Cache cache, double us) {
    return KernelSample{work.key, 0, cache, {microseconds(us), microseconds(us), microseconds(us), 5}, {}};
  };
  profile.kernels = {sample(Cache::cold, 9), sample(Cache::hot, 4), sample(Cache::fresh, 6)};
  const KernelCost cost(chip(), Precision::bf16, {profile});
  const auto time = [&](const KernelCost& known) { return known.time(work).work + known.time(work).fixed; };
  CHECK(time(cost).value == Approx(9e-6));
  CHECK(time(cost.for_step({mebibytes(32), {}})).value == Approx(4e-6));
  CHECK(time(cost.for_step({mebibytes(32), {work.key}})).value == Approx(6e-6));
  CHECK(time(cost.for_step({mebibytes(33), {work.key}})).value == Approx(9e-6));
  // A processor whose cache is not told: nothing says that operands are still there.
  profile.environment.clear();
  CHECK(time(KernelCost(chip(), Precision::bf16, {profile}).for_step({mebibytes(1), {}})).value == Approx(9e-6));
}
