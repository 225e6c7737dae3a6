// Which timed kernel or law stands for a kernel of a step, and how far it may be off.
#include "sim/kernel_cost/known_kernels.hpp"

#include <cmath>

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

KernelWork known_product(double m, double n, double k) {
  KernelWork work;
  work.key = {KernelOp::matmul, Precision::fp32, ProductShape{std::int64_t(m), std::int64_t(n), std::int64_t(k)}};
  work.gemm = {m, n, k};
  work.flop = Flop(2 * m * n * k);
  work.bytes = Bytes(4 * (m * k + k * n + m * n));
  return work;
}

KernelSample sample_of(const KernelWork& work, int threads, Cache cache, double seconds) {
  const Seconds time(seconds);
  return {work.key, threads, cache, {time, time, time, 10, 0}, {Provenance::measured, "here", "2026"}};
}

KernelLaw law_of(double flop_per_second) {
  KernelLaw law;
  law.ops = {KernelOp::matmul};
  law.constants = {FlopPerSecond(flop_per_second), BytesPerSecond(1e30), Seconds(0)};
  law.residual = {0.01, 0.02, 40};
  law.source = {Provenance::fitted, "law", "2026"};
  return law;
}

}  // namespace

TEST_CASE("of the samples of one kernel that with the most threads stands for it, cold unless told otherwise") {
  const KernelWork work = known_product(64, 64, 64);
  Profile profile;
  profile.kernels = {sample_of(work, 1, Cache::cold, 4), sample_of(work, 2, Cache::hot, 1),
                     sample_of(work, 2, Cache::cold, 2)};
  KnownKernels known;
  known.add(profile);
  REQUIRE(known.time(work));
  CHECK(known.time(work)->time == Seconds(2));
  CHECK(known.time(work)->basis == CostBasis::measured);
  known.set_caches(Cache::hot);
  CHECK(known.time(work)->time == Seconds(1));
  // The batch's reader was not timed with a fresh one.
  known.set_caches(Cache::hot, {work.key});
  CHECK(known.time(work)->time == Seconds(1));
  // Timed in one state only, a kernel has that time in all.
  const KernelWork other = known_product(8, 8, 8);
  Profile hot;
  hot.kernels = {sample_of(other, 2, Cache::hot, 3)};
  known.add(hot);
  known.set_caches(Cache::cold);
  CHECK(known.time(other)->time == Seconds(3));
}

TEST_CASE("the profile added first keeps its kernels, and the next one fills the gaps") {
  const KernelWork small = known_product(8, 8, 8), large = known_product(64, 64, 64);
  Profile near, far;
  near.kernels = {sample_of(small, 0, Cache::cold, 1)};
  far.kernels = {sample_of(small, 0, Cache::cold, 7), sample_of(large, 0, Cache::cold, 8)};
  KnownKernels known;
  known.add(near);
  known.add(far);
  CHECK(known.time(small)->time == Seconds(1));
  CHECK(known.time(large)->time == Seconds(8));
}

TEST_CASE("a law speaks for kernels of its operators and precision that were not timed") {
  const KernelWork timed = known_product(8, 8, 8), other = known_product(100, 100, 100);
  Profile profile;
  profile.kernels = {sample_of(timed, 0, Cache::cold, 1)};
  profile.laws = {law_of(2e6)};
  KnownKernels known;
  known.add(profile);
  CHECK(known.time(timed)->basis == CostBasis::measured);
  CHECK(known.time(other)->basis == CostBasis::law);
  CHECK(known.time(other)->time.value == Approx(1));
  KernelWork half = other;
  half.key.precision = Precision::fp16;
  CHECK_FALSE(known.time(half));
  KernelWork convolution = other;
  convolution.key.op = KernelOp::conv_forward;
  CHECK_FALSE(known.time(convolution));
}

TEST_CASE("quartiles a factor e apart are a sigma of 1 / 1.349") {
  CHECK(log_spread(SampleStatistics{Seconds(1.5), Seconds(1), Seconds(std::exp(1.0)), 9, 0}) == Approx(1 / 1.349));
}

TEST_CASE("the spread of a law is what it missed of samples held back, or that of its replicas where it is larger") {
  const KernelWork work = known_product(100, 100, 100);
  KernelLaw law = law_of(2e6);
  CHECK(log_spread(law, work) == Approx(std::log(1.02) / 1.645));
  law.held_back = {0.05, 0.1, 10};
  CHECK(log_spread(law, work) == Approx(std::log(1.1) / 1.645));
  law.replicas = {law_of(1e6).constants, law_of(4e6).constants};  // half and twice the time
  CHECK(log_spread(law, work) == Approx(std::log(2.0)));
}
