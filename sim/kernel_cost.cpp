#include "sim/kernel_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"

namespace mlsim {
namespace {

constexpr double kTile = 128;                 // matrix-unit tile edge: TPU MXU 128 x 128, GPU thread block tile
constexpr double kFastConvolutionGain = 1.5;  // fp32 Winograd/FFT gain over direct convolution, fitted with the form

double whole(double value, double step) { return std::ceil(value / step) * step; }

FlopPerSecond matrix_peak(const AcceleratorSpec& accelerator, Precision precision) {
  const auto found = accelerator.peak.find(precision);
  if (found != accelerator.peak.end() && found->second.value.value > 0) return found->second.value;
  std::string known;
  for (const auto& [format, peak] : accelerator.peak)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(format));
  throw Infeasible(fmt::format("{} does not compute in {}; it has {}", accelerator.title, name(precision), known));
}

}  // namespace

Flop padded_flop(const KernelWork& work, Precision precision) {
  if (work.gemm.m == 0) return work.flop;
  const bool narrow = precision == Precision::fp16 || precision == Precision::bf16 || precision == Precision::fp8;
  const double flop =
      2 * whole(work.gemm.m, kTile) * whole(work.gemm.n, kTile) * whole(work.gemm.k, narrow ? 8 : 32) * work.products;
  const bool fast = work.fast_fp32_convolution && precision == Precision::fp32;
  return Flop(fast ? flop / kFastConvolutionGain : flop);
}

KernelCost::KernelCost(const AcceleratorSpec& accelerator, Precision precision, const std::vector<Profile>& profiles)
    : accelerator_(accelerator), precision_(precision), peak_(matrix_peak(accelerator, precision)) {
  curve_.precision = precision;
  curve_.per_kernel = accelerator.kernel_launch.value;
  curve_.source = {Provenance::datasheet, accelerator.title + " data sheet: peak rate and memory bandwidth", ""};
  for (const auto& profile : profiles) {
    if (profile.accelerator != accelerator.name) continue;
    for (const auto& curve : profile.efficiency) {
      if (has_curve_ || curve.precision != precision) continue;
      curve_ = curve;
      has_curve_ = true;
    }
    for (const auto& sample : profile.kernels) measured_.try_emplace(sample.key, sample);  // the nearest profile's wins
  }
}

KernelCost KernelCost::scaled(double compute, double memory) const {
  KernelCost result = *this;
  result.compute_ *= compute;
  result.memory_ *= memory;
  return result;
}

KernelTime KernelCost::time(const KernelWork& work) const {
  const auto found = measured_.find(work.key);
  if (found == measured_.end()) return modelled(work, compute_, memory_);
  if (compute_ == 1 && memory_ == 1) return {Seconds(0), found->second.time.median, CostBasis::measured};
  const KernelTime now = modelled(work, 1, 1), then = modelled(work, compute_, memory_);
  const double change = (then.work + then.fixed) / (now.work + now.fixed);
  return {Seconds(0), found->second.time.median * change, CostBasis::measured};
}

KernelTime KernelCost::modelled(const KernelWork& work, double compute_scale, double memory_scale) const {
  const FlopPerSecond compute = peak_ * curve_.compute * compute_scale;
  const BytesPerSecond memory = accelerator_.memory_bandwidth.value * curve_.memory * memory_scale;
  if (!has_curve_) {
    return {max(work.flop / compute, work.bytes / memory), curve_.per_kernel * work.launches, CostBasis::roofline};
  }
  // The sum predicts unseen networks better than the larger of the two (docs/models.md, "kernel cost").
  return {padded_flop(work, precision_) / compute + work.bytes / memory, curve_.per_kernel * work.launches,
          CostBasis::efficiency_curve};
}

Source KernelCost::source(CostBasis basis) const {
  if (basis == CostBasis::measured && !measured_.empty()) return measured_.begin()->second.source;
  return curve_.source;
}

}  // namespace mlsim
