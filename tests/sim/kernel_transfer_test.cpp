// Roofline-weighted wave scaling on rates that a hand can follow.
#include "sim/kernel_transfer.hpp"

#include <cmath>

#include "catch.hpp"
#include "core/errors.hpp"
#include "sim/kernel_cost.hpp"
#include "topologies/catalogue.hpp"

using namespace mlsim;

namespace {

AcceleratorSpec chip(double flop_per_second, double bytes_per_second, double launch_us) {
  AcceleratorSpec spec;
  spec.name = "chip";
  spec.title = "Chip";
  spec.family = "gpu";
  spec.peak[Precision::fp32] = {FlopPerSecond(flop_per_second), {}};
  spec.memory_bandwidth = {BytesPerSecond(bytes_per_second), {}};
  spec.kernel_launch = {microseconds(launch_us), {}};
  return spec;
}

KernelWork work_of(double flop, double bytes) {
  KernelWork work;
  work.key = {KernelOp::elementwise, Precision::fp32, {64, 64}};
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

TEST_CASE("a kernel that only the user's profile of another GPU knows is transferred, and says so") {
  const KernelWork work = work_of(0, 1e9);
  const Profile v100 = profile_of("v100-sxm2-16gb", work);
  const AcceleratorSpec a100 = load_accelerator("a100-sxm4-40gb");
  Profile curve;
  curve.accelerator = a100.name;
  curve.efficiency = {{Precision::fp32, 0.5, 0.8, Seconds(0), {Provenance::fitted, "curve", ""}}};
  const KernelTime time = KernelCost(a100, Precision::fp32, {v100, curve}, 1).time(work);
  CHECK(time.basis == CostBasis::transferred);
  CHECK(time.work == Seconds(0));
  CHECK(time.fixed.value == Approx(900.0 / 1555).epsilon(1e-3));  // memory bandwidths, GB/s
  CHECK(time.log_spread == Approx(kTransferSpread));
  CHECK(KernelCost(a100, Precision::fp32, {v100, curve}, 1).source(CostBasis::transferred).provenance ==
        Provenance::fitted);
}

TEST_CASE("what is known of the accelerator itself goes before what another says of it") {
  const KernelWork work = work_of(0, 1e9);
  const Profile v100 = profile_of("v100-sxm2-16gb", work);
  const AcceleratorSpec a100 = load_accelerator("a100-sxm4-40gb");
  Profile curve;
  curve.accelerator = a100.name;
  curve.efficiency = {{Precision::fp32, 0.5, 0.8, Seconds(0), {}}};
  const auto basis = [&](const std::vector<Profile>& profiles, std::size_t own) {
    return KernelCost(a100, Precision::fp32, profiles, own).time(work).basis;
  };
  CHECK(basis({v100, profile_of(a100.name, work)}, 1) == CostBasis::measured);
  CHECK(basis({v100, curve}, 0) == CostBasis::efficiency_curve);  // a built-in profile of another
  CHECK(basis({v100}, 0) == CostBasis::transferred);
  CHECK(basis({profile_of("xeon-8124m", work)}, 1) == CostBasis::roofline);  // a processor
  const KernelCost both(a100, Precision::fp32, {v100, curve}, 1);
  CHECK(both.transfers_from() == std::vector<std::string>{"v100-sxm2-16gb"});
  CHECK(both.without_transfers().time(work).basis == CostBasis::efficiency_curve);
}
