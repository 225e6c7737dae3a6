#include "calibrate/fit/kernel_law_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/fit/kernel_class.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "costs/kernel_time.hpp"
#include "noise.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

const Ceilings kCeilings{FlopPerSecond(1e12), gigabytes_per_second(100), 1};

KernelWork product(double m, double n, double k) {
  KernelWork work;
  work.key = {KernelOp::matmul, Precision::fp32,
              ProductShape{static_cast<std::int64_t>(m), static_cast<std::int64_t>(n), static_cast<std::int64_t>(k)}};
  work.flop = Flop(2 * m * n * k);
  work.bytes = Bytes(4 * (m * k + k * n + m * n));
  work.gemm = {m, n, k};
  return work;
}

KernelWork pass(KernelOp op, double elements, double flop_per_element = 1) {
  KernelWork work;
  work.key = {op, Precision::fp32,
              ElementwiseShape{static_cast<std::int64_t>(elements), static_cast<std::int64_t>(elements)}};
  work.flop = Flop(flop_per_element * elements);
  work.bytes = Bytes(8 * elements);
  return work;
}

KernelLawSample sample(const KernelLaw& truth, const KernelWork& work, double noise = 1) {
  const Seconds time = kernel_time(truth, work) * noise;
  return {work, {time, time, time, 10, 0}, truth.threads};
}

KernelLaw products_law() {
  KernelLaw law;
  law.ops = kernel_classes().front().ops;
  law.constants = {FlopPerSecond(6e11), gigabytes_per_second(40), microseconds(5)};
  return law;
}

KernelLaw elementwise_law() {
  KernelLaw law;
  law.ops = {KernelOp::elementwise};
  law.constants = {FlopPerSecond(1e12), gigabytes_per_second(60), microseconds(3)};
  return law;
}

std::vector<KernelLawSample> products(const KernelLaw& truth, double sigma, std::uint64_t seed = 1) {
  Noise noise(seed, sigma);
  std::vector<KernelLawSample> samples;
  for (const double m : {16, 60, 130, 200, 520, 1030})
    for (const double n : {16, 100, 300, 1100})
      for (const double k : {32, 500, 2000}) samples.push_back(sample(truth, product(m, n, k), noise.factor()));
  return samples;
}

std::vector<KernelLawSample> passes(const KernelLaw& truth, double sigma, std::uint64_t seed = 1) {
  Noise noise(seed, sigma);
  std::vector<KernelLawSample> samples;
  for (double n = 1024; n <= 1 << 24; n *= 4)
    samples.push_back(sample(truth, pass(truth.ops.front(), n), noise.factor()));
  return samples;
}

}  // namespace

TEST_CASE("a law of exact passes is found again") {
  const KernelLaw truth = elementwise_law();
  const auto laws = fit_kernel_laws(passes(truth, 0), kCeilings);
  REQUIRE(laws.size() == 1);
  CHECK(laws[0].constants.memory.value == Approx(truth.constants.memory.value).epsilon(0.02));
  CHECK(laws[0].constants.per_kernel.value == Approx(truth.constants.per_kernel.value).epsilon(0.02));
  CHECK(laws[0].residual.p90 < 0.01);
  CHECK(laws[0].held_back.p90 < 0.02);
  CHECK(laws[0].held_back.count == 2);
  CHECK(laws[0].source.provenance == Provenance::fitted);
}

TEST_CASE("rates, exponent and tiles of matrix products are found again") {
  for (const double exponent : {1.0, 2.0, 4.0}) {
    KernelLaw truth = products_law();
    truth.exponent = exponent;
    truth.tile_m = 128;
    truth.tile_n = 64;
    const auto laws = fit_kernel_laws(products(truth, 0.01), kCeilings, {1, 0, 0});
    REQUIRE(laws.size() == 1);
    CHECK(laws[0].exponent == exponent);
    CHECK(laws[0].tile_m == truth.tile_m);
    CHECK(laws[0].tile_n == truth.tile_n);
    CHECK(laws[0].constants.compute.value == Approx(truth.constants.compute.value).epsilon(0.05));
    CHECK(laws[0].constants.memory.value == Approx(truth.constants.memory.value).epsilon(0.1));
    CHECK(laws[0].constants.per_kernel.value == Approx(truth.constants.per_kernel.value).epsilon(0.1));
  }
}

TEST_CASE("waves are found where there are any") {
  const Ceilings gpu{FlopPerSecond(1e12), gigabytes_per_second(100), 20};
  for (const int units : {1, 20}) {
    KernelLaw truth = products_law();
    truth.tile_m = truth.tile_n = 128;
    truth.units = units;
    const auto laws = fit_kernel_laws(products(truth, 0.01), gpu, {1, 0, 0});
    CHECK(laws.at(0).units == units);
    CHECK(laws.at(0).tile_m * laws.at(0).tile_n == 128 * 128);  // 64 x 256 makes as many waves of these products
    CHECK(laws.at(0).residual.median < 0.02);
  }
}

TEST_CASE("noise alone makes no tiles") {
  const auto laws = fit_kernel_laws(products(products_law(), 0.03), kCeilings, {1, 0, 0});
  CHECK(laws.at(0).tile_m * laws.at(0).tile_n <= 8);
  CHECK(laws.at(0).residual.median < 0.04);
}

TEST_CASE("rates do not exceed the ceilings") {
  KernelLaw truth = products_law();
  truth.constants.compute = kCeilings.compute * 3;
  truth.constants.memory = kCeilings.memory * 3;
  const auto laws = fit_kernel_laws(products(truth, 0.05), kCeilings);
  const auto within = [](const KernelLaw::Constants& k) {
    return k.compute <= kCeilings.compute && k.memory <= kCeilings.memory && k.per_kernel >= Seconds(0);
  };
  CHECK(within(laws.at(0).constants));
  CHECK(laws.at(0).replicas.size() == FitOptions{}.replicas);
  CHECK(std::all_of(laws.at(0).replicas.begin(), laws.at(0).replicas.end(), within));
}

TEST_CASE("the spread of a law's replicas holds the truth about nine times in ten") {
  const KernelLaw truth = elementwise_law();
  const KernelWork small = pass(KernelOp::elementwise, 2048), large = pass(KernelOp::elementwise, 1 << 26);
  int held = 0, asked = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const KernelLaw law = fit_kernel_laws(passes(truth, 0.05, seed), kCeilings, {seed, 60, 0}).at(0);
    for (const KernelWork& work : {small, large}) {
      std::vector<double> times;
      for (const auto& replica : law.replicas) times.push_back(kernel_time(law, replica, work).value);
      std::sort(times.begin(), times.end());
      const double true_time = kernel_time(truth, work).value;
      held += times[2] <= true_time && true_time <= times[57];  // 5 % and 95 %
      ++asked;
    }
  }
  CHECK(held >= 0.8 * asked);
  CHECK(held <= 0.98 * asked);
}

TEST_CASE("classes with few samples share a law within their family") {
  KernelLaw norms = elementwise_law();
  norms.ops = {KernelOp::batch_norm_forward, KernelOp::softmax_loss_forward};
  std::vector<KernelLawSample> samples = passes(elementwise_law(), 0);
  for (const double n : {1e4, 1e6}) {
    samples.push_back(sample(norms, pass(KernelOp::batch_norm_forward, n)));
    samples.push_back(sample(norms, pass(KernelOp::softmax_loss_forward, n)));
  }
  samples.push_back(sample(products_law(), product(64, 64, 64)));
  const auto laws = fit_kernel_laws(samples, kCeilings);
  REQUIRE(laws.size() == 2);
  CHECK(laws[0].ops == std::vector{KernelOp::elementwise});
  CHECK(std::count(laws[1].ops.begin(), laws[1].ops.end(), KernelOp::layer_norm_backward) == 1);
  CHECK(std::count(laws[1].ops.begin(), laws[1].ops.end(), KernelOp::softmax_loss_forward) == 1);
  CHECK(laws[1].residual.count == 4);
}

TEST_CASE("threads and precisions have laws of their own") {
  std::vector<KernelLawSample> samples;
  for (const int threads : {1, 2}) {
    KernelLaw truth = elementwise_law();
    truth.threads = threads;
    truth.constants.memory = gigabytes_per_second(20.0 * threads);
    const auto some = passes(truth, 0);
    samples.insert(samples.end(), some.begin(), some.end());
  }
  const auto laws = fit_kernel_laws(samples, kCeilings);
  REQUIRE(laws.size() == 2);
  CHECK(laws[0].threads == 1);
  CHECK(laws[0].constants.memory.value == Approx(20e9).epsilon(0.02));
  CHECK(laws[1].constants.memory.value == Approx(40e9).epsilon(0.02));
}

TEST_CASE("equal times of unequal work are all launch") {
  std::vector<KernelLawSample> samples = passes(elementwise_law(), 0);
  samples.resize(5);
  for (KernelLawSample& s : samples) s.time.median = milliseconds(10);
  const KernelLaw law = fit_kernel_laws(samples, kCeilings).at(0);
  CHECK(law.constants.per_kernel.value == Approx(0.01).epsilon(0.02));
  CHECK(law.residual.p90 < 0.02);
}

TEST_CASE("fits repeat to the bit and differ with the seed in their replicas alone") {
  const auto samples = passes(elementwise_law(), 0.05);
  const auto laws = fit_kernel_laws(samples, kCeilings, {7, 8, 0.15});
  CHECK(laws == fit_kernel_laws(samples, kCeilings, {7, 8, 0.15}));
  auto other = fit_kernel_laws(samples, kCeilings, {8, 8, 0.15});
  CHECK(other != laws);
  other[0].replicas = laws[0].replicas;
  CHECK(other == laws);
}

TEST_CASE("kernels that cannot be are refused") {
  CHECK(fit_kernel_laws({}, kCeilings).empty());
  auto samples = passes(elementwise_law(), 0);
  CHECK_THROWS_AS(fit_kernel_laws(samples, {FlopPerSecond(0), BytesPerSecond(1), 1}), InputError);
  CHECK_THROWS_AS(fit_kernel_laws(samples, {FlopPerSecond(1), BytesPerSecond(1), 0}), InputError);
  for (const double time :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto wrong = samples;
    wrong[3].time.median = Seconds(time);
    CHECK_THROWS_AS(fit_kernel_laws(wrong, kCeilings), InputError);
  }
  samples[0].work.bytes = Bytes(-1);
  CHECK_THROWS_AS(fit_kernel_laws(samples, kCeilings), InputError);
  samples[0].work.bytes = Bytes(0);
  samples[0].work.flop = Flop(0);
  CHECK_THROWS_AS(fit_kernel_laws(samples, kCeilings), InputError);
}

TEST_CASE("every operator is in one class") {
  std::vector<KernelOp> all;
  for (const KernelClass& kind : kernel_classes()) all.insert(all.end(), kind.ops.begin(), kind.ops.end());
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(all.size() == names<KernelOp>().size());
}

TEST_CASE("scarce classes are grouped by family, and left out where the family is scarce") {
  std::vector<std::size_t> counts(kernel_classes().size(), 0);
  counts[0] = 9;                          // matrix products
  counts[1] = 2;                          // recurrent layers, alone in their family among the scarce
  counts[2] = counts[3] = counts[4] = 2;  // convolutions
  const auto groups = grouped_classes(counts, 4);
  CHECK(groups == std::vector<std::vector<std::size_t>>{{0}, {2, 3, 4}});
}
