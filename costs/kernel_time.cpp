#include "costs/kernel_time.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mlsim::costs {
namespace {

double whole(double value, double step) { return std::ceil(value / step) * step; }

}  // namespace

Flop padded_flop(const KernelLaw& law, const KernelWork& work) {
  const GemmShape& gemm = work.gemm;
  if (gemm.m <= 0 || gemm.n <= 0) return work.flop;
  const double tiles = whole(gemm.m, law.tile_m) / law.tile_m * whole(gemm.n, law.tile_n) / law.tile_n * work.products;
  return Flop(2 * whole(tiles, law.units) * law.tile_m * law.tile_n * gemm.k);
}

Seconds padded_time(const KernelLaw::Constants& constants, double exponent, Flop padded, Bytes bytes, int launches) {
  const double compute = (padded / constants.compute).value;
  const double memory = (bytes / constants.memory).value;
  const double larger = std::max(compute, memory);
  if (larger <= 0) return constants.per_kernel * launches;
  // The larger scales both, so that no power overflows.
  const double sum = std::pow(compute / larger, exponent) + std::pow(memory / larger, exponent);
  return Seconds(larger * std::pow(sum, 1 / exponent)) + constants.per_kernel * launches;
}

Seconds kernel_time(const KernelLaw& law, const KernelLaw::Constants& constants, const KernelWork& work) {
  if (std::find(law.ops.begin(), law.ops.end(), work.key.op) == law.ops.end()) {
    throw std::logic_error("a law of other kernels than " + std::string(name(work.key.op)));
  }
  return padded_time(constants, law.exponent, padded_flop(law, work), work.bytes, work.launches);
}

Seconds kernel_time(const KernelLaw& law, const KernelWork& work) { return kernel_time(law, law.constants, work); }

}  // namespace mlsim::costs
