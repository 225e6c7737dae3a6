#include "core/profile/kernel_law.hpp"

#include <stdexcept>

#include "catch.hpp"
#include "costs/kernel_time.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

KernelLaw law() {
  KernelLaw l;
  l.ops = {KernelOp::matmul};
  l.constants = {FlopPerSecond(100), BytesPerSecond(10), Seconds(1)};
  return l;
}

// 300 x 100 x 7.
KernelWork product() {
  KernelWork work;
  work.key = {KernelOp::matmul, Precision::fp32, ProductShape{}};
  work.flop = Flop(420000);
  work.bytes = Bytes(56000);
  work.gemm = {300, 100, 7};
  return work;
}

}  // namespace

TEST_CASE("without tiles a kernel's FLOP are its own") { CHECK(padded_flop(law(), product()) == Flop(420000)); }

// 3 x 2 tiles of 128 x 64, 2 x 8192 x 7 FLOP each; 4 at once make 2 waves of 8.
TEST_CASE("tiles are whole, and so are waves of them") {
  KernelLaw tiled = law();
  tiled.tile_m = 128;
  tiled.tile_n = 64;
  CHECK(padded_flop(tiled, product()) == Flop(6 * 114688.0));
  tiled.units = 4;
  CHECK(padded_flop(tiled, product()) == Flop(8 * 114688.0));
  KernelWork twice = product();
  twice.products = 2;
  CHECK(padded_flop(tiled, twice) == Flop(12 * 114688.0));
}

// 4200 s of products beside 5600 s of bytes.
TEST_CASE("the exponent goes from the sum of both to the larger") {
  KernelLaw l = law();
  CHECK(kernel_time(l, product()).value == Approx(1 + 9800));
  l.exponent = 2;
  CHECK(kernel_time(l, product()).value == Approx(1 + 7000));
  l.exponent = 100;
  CHECK(kernel_time(l, product()).value == Approx(1 + 5600).epsilon(1e-6));
}

TEST_CASE("every launch takes its time, and nothing else takes any without work") {
  KernelWork work = product();
  work.flop = Flop(0);
  work.bytes = Bytes(0);
  work.gemm = {};
  work.launches = 3;
  CHECK(kernel_time(law(), work) == Seconds(3));
}

TEST_CASE("a law is of its own operators only") {
  KernelWork other = product();
  other.key.op = KernelOp::gather;
  CHECK_THROWS_AS(kernel_time(law(), other), std::logic_error);
}
