#include "sim/kernel_cost/padded_flop.hpp"

#include <cmath>

namespace mlsim::sim {
namespace {

constexpr double kFastConvolutionGain = 1.5;  // fp32 Winograd/FFT gain over direct convolution, fitted with the form

double whole(double value, double step) { return std::ceil(value / step) * step; }

}  // namespace

Flop padded_flop(const KernelWork& work, Precision precision) {
  if (work.gemm.m == 0) return work.flop;
  const bool narrow = precision == Precision::fp16 || precision == Precision::bf16 || precision == Precision::fp8;
  const double flop = 2 * whole(work.gemm.m, kMatrixTile) * whole(work.gemm.n, kMatrixTile) *
                      whole(work.gemm.k, narrow ? 8 : 32) * work.products;
  const bool fast = work.fast_fp32_convolution && precision == Precision::fp32;
  return Flop(fast ? flop / kFastConvolutionGain : flop);
}

}  // namespace mlsim::sim
