// Roofline-weighted wave scaling on rates that a hand can follow.
#include "sim/kernel_cost/kernel_transfer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "topologies/machine/accelerator_file.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

AcceleratorSpec chip(double flop_per_second, double bytes_per_second, double launch_us) {
  AcceleratorSpec spec;
  spec.name = "chip";
  spec.title = "Chip";
  spec.family = AcceleratorFamily::gpu;
  spec.peak[Precision::fp32] = {FlopPerSecond(flop_per_second), {}};
  spec.memory_bandwidth = {BytesPerSecond(bytes_per_second), {}};
  spec.kernel_launch = {microseconds(launch_us), {}};
  return spec;
}

AcceleratorSpec gpu(double flop_per_second, double bytes_per_second, int multiprocessors) {
  AcceleratorSpec spec = chip(flop_per_second, bytes_per_second, 0);
  spec.multiprocessors = {multiprocessors, {}};
  return spec;
}

KernelWork product_of(double m, double n, double k) {
  KernelWork work;
  work.key = {KernelOp::matmul, Precision::fp32, ProductShape{}};
  work.flop = Flop(2 * m * n * k);
  work.bytes = Bytes(1);  // far above any ridge: compute alone
  work.gemm = {m, n, k};
  return work;
}

KernelWork work_of(double flop, double bytes) {
  KernelWork work;
  work.key = {KernelOp::elementwise, Precision::fp32, ElementwiseShape{64, 64}};
  work.flop = Flop(flop);
  work.bytes = Bytes(bytes);
  return work;
}

Profile profile_of(const std::string& accelerator, const KernelWork& work) {
  Profile profile;
  profile.accelerator = accelerator;
  profile.kernels = {{work.key, 0, Cache::cold, {Seconds(1), Seconds(1), Seconds(1), 5, 0}, {}}};
  return profile;
}

}  // namespace

TEST_CASE("a kernel without FLOP follows the memory bandwidth, one far above the ridge the rate of the units") {
  const AcceleratorSpec a = chip(1e12, 1e11, 0), b = chip(8e12, 2e11, 0);  // ridge of b: 40 FLOP/B
  CHECK(transfer_factor(work_of(0, 100), Precision::fp32, a, b) == Approx(0.5));
  CHECK(transfer_factor(work_of(4e9, 100), Precision::fp32, a, b) == Approx(1.0 / 8).epsilon(1e-5));
}

TEST_CASE("at the ridge both count half, and below it the memory counts more") {
  const AcceleratorSpec a = chip(1e12, 1e11, 0), b = chip(8e12, 2e11, 0);
  CHECK(transfer_factor(work_of(4000, 100), Precision::fp32, a, b) == Approx(std::sqrt(0.5 / 8)));
  CHECK(transfer_factor(work_of(2000, 100), Precision::fp32, a, b) ==
        Approx(std::pow(0.5, 0.75) * std::pow(1.0 / 8, 0.25)));
  CHECK(transfer_factor(work_of(8000, 100), Precision::fp32, a, b) ==
        Approx(std::pow(0.5, 0.25) * std::pow(1.0 / 8, 0.75)));
}

TEST_CASE("there and back again is where it began for kernels that no ridge divides") {
  const AcceleratorSpec a = chip(1e12, 1e11, 0), b = chip(8e12, 2e11, 0);
  const KernelWork copy = work_of(0, 100);
  CHECK(transfer_factor(copy, Precision::fp32, a, b) * transfer_factor(copy, Precision::fp32, b, a) == Approx(1));
  CHECK(transfer_factor(copy, Precision::fp32, a, a) == 1);
}

TEST_CASE("launches take what each accelerator takes for them") {
  const AcceleratorSpec a = chip(1e12, 1e11, 4), b = chip(8e12, 2e11, 3);
  KernelWork copy = work_of(0, 100);
  CHECK(transferred_time(microseconds(10), copy, Precision::fp32, a, b).value == Approx(3e-6 + 6e-6 / 2));
  copy.launches = 5;  // 20 us on a: more than it took
  CHECK(transferred_time(microseconds(10), copy, Precision::fp32, a, b).value == Approx(15e-6));
  CHECK_THROWS_AS(transfer_factor(copy, Precision::bf16, a, b), Infeasible);
}

TEST_CASE("a matrix product takes as many waves of tiles as its multiprocessors need, each at their rate") {
  // 10 FLOP/s and 9 FLOP/s a multiprocessor.
  const AcceleratorSpec a = gpu(800, 1, 80), b = gpu(972, 1, 108);
  const auto factor = [&](double tiles, double k) {
    return transfer_factor(product_of(128 * tiles, 128, k), Precision::fp32, a, b);
  };
  CHECK(factor(160, 64) == Approx(10.0 / 9));          // 2 waves on both
  CHECK(factor(200, 64) == Approx(2.0 / 3 * 10 / 9));  // 3 waves, 2 waves
  CHECK(factor(81, 64) == Approx(1.0 / 2 * 10 / 9));   // 2 waves, 1 wave
  CHECK(factor(120, 64) == Approx(10.0 / 9));          // 2 waves on both, though more of the second is idle
  CHECK(factor(1e6, 64) == Approx(800.0 / 972).epsilon(1e-4));
}

TEST_CASE("waves agree with tiles dealt out one by one") {
  const AcceleratorSpec a = gpu(56, 1, 56), b = gpu(80, 1, 80);  // 1 FLOP/s a multiprocessor
  const auto busiest = [](int tiles, std::size_t multiprocessors) {
    std::vector<int> dealt(multiprocessors);
    for (int tile = 0; tile < tiles; ++tile) ++dealt[static_cast<std::size_t>(tile) % multiprocessors];
    return static_cast<double>(*std::max_element(dealt.begin(), dealt.end()));
  };
  for (int tiles = 1; tiles < 500; tiles += 7) {
    INFO(tiles);
    CHECK(transfer_factor(product_of(128.0 * tiles, 100, 32), Precision::fp32, a, b) ==
          Approx(busiest(tiles, 80) / busiest(tiles, 56)));
  }
}

TEST_CASE("a product of few tiles is cut along K until every multiprocessor works") {
  const AcceleratorSpec a = gpu(800, 1, 80), b = gpu(972, 1, 108);
  const auto factor = [&](double tiles, double k) {
    return transfer_factor(product_of(128 * tiles, 128, k), Precision::fp32, a, b);
  };
  CHECK(factor(8, 128 * 16) == Approx(800.0 / 972));               // 128 blocks fill both
  CHECK(factor(8, 128 * 12) == Approx(80 * 10 / (8 * 12 * 9.0)));  // 96 blocks fill the first
  CHECK(factor(8, 128 * 4) == Approx(10.0 / 9));                   // 32 blocks fill neither
}

TEST_CASE("a kernel that fills no wave on either scales by the rate of one multiprocessor alone") {
  const AcceleratorSpec a = gpu(800, 1e3, 80), b = gpu(972, 8e3, 108);
  KernelWork product = product_of(128 * 8, 128, 64);
  CHECK(transfer_factor(product, Precision::fp32, a, b) == Approx(10.0 / 9));
  product.products = 3;  // 24 tiles
  CHECK(transfer_factor(product, Precision::fp32, a, b) == Approx(10.0 / 9));
  product.bytes = product.flop / b.peak.at(Precision::fp32).value * b.memory_bandwidth.value;  // at the ridge
  CHECK(transfer_factor(product, Precision::fp32, a, b) == Approx(std::sqrt(10.0 / 9)));
  product.bytes = Bytes(1);
  product.products = 1000;
  product.launches = 1000;  // one after the other: 8 tiles each time
  CHECK(transfer_factor(product, Precision::fp32, a, b) == Approx(10.0 / 9));
  // 32 KiB a multiprocessor: below that more bandwidth does not help a kernel that only moves bytes.
  CHECK(transfer_factor(work_of(0, 80 * 32768.0 - 1), Precision::fp32, a, b) == 1);
  CHECK(transfer_factor(work_of(0, 80 * 32768.0), Precision::fp32, a, b) == Approx(1.0 / 8));
}

TEST_CASE("many waves scale as whole accelerators do, and so do all kernels where a count is not known") {
  const AcceleratorSpec v100 = load_accelerator("v100-sxm2-16gb"), a100 = load_accelerator("a100-sxm4-40gb");
  AcceleratorSpec uncounted = a100;
  uncounted.multiprocessors = {};
  KernelWork small = product_of(100, 100, 64), large = product_of(128 * 1000, 128 * 80 * 108, 4096);
  for (KernelWork* work : {&small, &large}) work->bytes = work->flop / FlopPerSecond(100) * BytesPerSecond(1);
  const auto factor = [&](const KernelWork& work, const AcceleratorSpec& to) {
    return transfer_factor(work, Precision::fp16, v100, to);
  };
  CHECK(factor(large, a100) == Approx(factor(large, uncounted)).epsilon(1e-9));
  CHECK(factor(small, a100) > factor(small, uncounted));
  CHECK(factor(small, uncounted) == Approx(factor(large, uncounted)));
  CHECK(transfer_factor(small, Precision::fp16, v100, v100) == 1);
}

TEST_CASE("a kernel that only the user's profile of another GPU knows is transferred, and says so") {
  const KernelWork work = work_of(0, 1e9);
  const Profile v100 = profile_of("v100-sxm2-16gb", work);
  const AcceleratorSpec a100 = load_accelerator("a100-sxm4-40gb");
  Profile curve;
  curve.accelerator = a100.name;
  curve.efficiency = {{Precision::fp32, 0.5, 0.8, Seconds(0), {Provenance::fitted, "curve", ""}}};
  const KernelTime time = KernelCost(a100, Precision::fp32, {curve}, {v100}).time(work);
  CHECK(time.basis == CostBasis::transferred);
  CHECK(time.work == Seconds(0));
  CHECK(time.fixed.value == Approx(900.0 / 1555).epsilon(1e-3));  // memory bandwidths, GB/s
  CHECK(time.log_spread == Approx(kTransferSpread));
  CHECK(KernelCost(a100, Precision::fp32, {curve}, {v100}).source(CostBasis::transferred).provenance ==
        Provenance::fitted);
}

TEST_CASE("what is known of the accelerator itself goes before what another says of it") {
  const KernelWork work = work_of(0, 1e9);
  const Profile v100 = profile_of("v100-sxm2-16gb", work);
  const AcceleratorSpec a100 = load_accelerator("a100-sxm4-40gb");
  Profile curve;
  curve.accelerator = a100.name;
  curve.efficiency = {{Precision::fp32, 0.5, 0.8, Seconds(0), {}}};
  const auto basis = [&](const std::vector<Profile>& builtin, const std::vector<Profile>& own) {
    return KernelCost(a100, Precision::fp32, builtin, own).time(work).basis;
  };
  CHECK(basis({profile_of(a100.name, work)}, {v100}) == CostBasis::measured);
  CHECK(basis({v100, curve}, {}) == CostBasis::efficiency_curve);  // a built-in profile of another
  CHECK(basis({v100}, {}) == CostBasis::transferred);
  CHECK(basis({}, {profile_of("xeon-8124m", work)}) ==
        CostBasis::efficiency_curve);  // that of its kind, not a processor's
  const KernelCost both(a100, Precision::fp32, {curve}, {v100});
  CHECK(both.transfers_from() == std::vector<std::string>{"v100-sxm2-16gb"});
  CHECK(both.without_transfers().time(work).basis == CostBasis::efficiency_curve);
}
