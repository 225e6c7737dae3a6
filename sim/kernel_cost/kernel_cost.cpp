#include "sim/kernel_cost/kernel_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "sim/kernel_cost/fused_passes.hpp"
#include "sim/kernel_cost/kernel_transfer.hpp"
#include "sim/kernel_cost/matrix_peak.hpp"
#include "topologies/accelerator_file.hpp"

namespace mlsim::sim {
namespace {

constexpr double kMostSpared = 4;
constexpr double kFastConvolutionGain = 1.5;  // fp32 Winograd/FFT gain over direct convolution, fitted with the form

double whole(double value, double step) { return std::ceil(value / step) * step; }

// What calibration wrote down of a processor.
Bytes last_level_cache(const Profile& profile) {
  const auto found = profile.environment.find("last_level_cache");
  return found == profile.environment.end() ? Bytes(0) : parse_quantity<Bytes>(found->second);
}

}  // namespace

Flop padded_flop(const KernelWork& work, Precision precision) {
  if (work.gemm.m == 0) return work.flop;
  const bool narrow = precision == Precision::fp16 || precision == Precision::bf16 || precision == Precision::fp8;
  const double flop = 2 * whole(work.gemm.m, kMatrixTile) * whole(work.gemm.n, kMatrixTile) *
                      whole(work.gemm.k, narrow ? 8 : 32) * work.products;
  const bool fast = work.fast_fp32_convolution && precision == Precision::fp32;
  return Flop(fast ? flop / kFastConvolutionGain : flop);
}

KernelCost::KernelCost(const AcceleratorSpec& accelerator, Precision precision, const std::vector<Profile>& profiles,
                       const std::vector<Profile>& own)
    : accelerator_(accelerator), precision_(precision), peak_(matrix_peak(accelerator, precision)) {
  curve_.precision = precision;
  curve_.per_kernel = accelerator.kernel_launch.value;
  curve_.source = {Provenance::datasheet, accelerator.title + " data sheet: peak rate and memory bandwidth", ""};
  for (const Profile& profile : refs_to(own, profiles)) {
    if (profile.accelerator != accelerator.name) continue;
    for (const auto& curve : profile.efficiency) {
      if (has_curve_ || !same_rate(accelerator, curve.precision, precision)) continue;
      curve_ = curve;
      curve_.precision = precision;
      has_curve_ = true;
    }
    if (known_.empty()) last_level_ = last_level_cache(profile);
    known_.add(profile);
  }
  products_ = product_efficiency(accelerator, precision);
  const bool transfers = !has_curve_;
  if (!has_curve_) {
    if (const auto pooled = pooled_curve(accelerator, precision)) {
      curve_ = *pooled;
      has_curve_ = true;
    }
  }
  for (const Profile& profile : !transfers ? refs_to(own) : refs_to(own, profiles)) {
    if (profile.accelerator != accelerator.name) add_elsewhere(profile);
  }
}

void KernelCost::add_elsewhere(const Profile& profile) {
  if (profile.kernels.empty() && profile.laws.empty()) return;
  const auto other = find_accelerator(profile.accelerator);
  // What a processor takes says nothing of a GPU.
  if (!other || other->family != accelerator_.family || !other->peak.contains(precision_)) return;
  elsewhere_.push_back({*other, {}});
  elsewhere_.back().kernels.add(profile);
}

KernelCost KernelCost::for_step(const StepTraffic& traffic) const {
  KernelCost result = *this;
  result.known_.set_caches(step_cache(traffic.moved, last_level_), traffic.batch_readers);
  return result;
}

KernelCost KernelCost::for_images(double samples) const {
  KernelCost result = *this;
  result.fills_tiles_ = !curve_.full_batch || samples >= *curve_.full_batch;
  return result;
}

KernelCost KernelCost::scaled(double compute, double memory) const {
  KernelCost result = *this;
  result.compute_ *= compute;
  result.memory_ *= memory;
  return result;
}

KernelCost KernelCost::at(const Pace& pace) const {
  KernelCost result = *this;
  result.pace_ = pace;
  return result;
}

KernelCost KernelCost::without_transfers() const {
  KernelCost result = *this;
  result.elsewhere_.clear();
  return result;
}

KernelCost KernelCost::curves_only() const {
  KernelCost result = without_transfers();
  result.known_ = {};
  return result;
}

KernelTime KernelCost::time(const KernelWork& work) const {
  if (const auto known = known_.time(work)) return absolute(work, known->time, known->basis, known->log_spread);
  for (const Elsewhere& other : elsewhere_) {
    const auto known = other.kernels.time(work);
    if (!known) continue;
    const Seconds time = transferred_time(known->time, work, precision_, other.accelerator, accelerator_);
    return absolute(work, time, CostBasis::transferred, std::hypot(kTransferSpread, known->log_spread));
  }
  return modelled(work, compute_, memory_);
}

// A time that no anchor scales, on the chip as scaled.
KernelTime KernelCost::absolute(const KernelWork& work, Seconds time, CostBasis basis, double log_spread) const {
  if (compute_ == 1 && memory_ == 1) return {Seconds(0), time, basis, log_spread, Seconds(0)};
  const KernelTime now = modelled(work, 1, 1), then = modelled(work, compute_, memory_);
  return {Seconds(0), time * ((then.work + then.fixed) / (now.work + now.fixed)), basis, log_spread, Seconds(0)};
}

KernelTime KernelCost::modelled(const KernelWork& work, double compute_scale, double memory_scale) const {
  const FlopPerSecond compute = peak_ * curve_.compute * compute_scale;
  const BytesPerSecond memory = accelerator_.memory_bandwidth.value * curve_.memory * memory_scale;
  if (!has_curve_) {
    return {max(work.flop / compute, work.bytes / memory), curve_.per_kernel * work.launches, CostBasis::roofline, 0,
            Seconds(0)};
  }
  KernelTime time{Seconds(0), curve_.per_kernel * work.launches, CostBasis::efficiency_curve, 0, Seconds(0)};
  // Winograd's F(4x4, 3x3) spares three quarters of the multiplications (Lavin and Gray, arXiv:1509.09308).
  const double spared = work.fast_fp32_convolution && precision_ == Precision::fp32 ? kMostSpared : 1;
  const auto fused = fused_attention_share(work.key);
  // Only fused attention has a format of its own.
  const FlopPerSecond peak = fused ? matrix_peak(accelerator_, work.key.precision) : peak_;
  time.least = work.flop / (peak * compute_scale * spared);
  if (products_ && (fused || is_matrix_product(work.key.op))) {
    const Seconds units = padded_flop(work, precision_) / (peak * fused.value_or(products_->compute) * compute_scale);
    const Seconds moved = work.bytes / (accelerator_.memory_bandwidth.value * products_->memory * memory_scale);
    time.work = Seconds(std::hypot(units.value, moved.value));
    return time;
  }
  if (accelerator_.family == AcceleratorFamily::tpu) {
    const Seconds units = padded_flop(work, precision_) / compute;
    const Seconds moved = (fills_tiles_ ? fused_bytes(work) : work.bytes) / memory;
    time.work = fills_tiles_ ? Seconds(std::hypot(units.value, moved.value)) : units + moved;
    return time;
  }
  // The sum predicts unseen networks better than the larger of the two (docs/models.md, "kernel cost").
  time.work = padded_flop(work, precision_) / compute + work.bytes / memory;
  return time;
}

Source KernelCost::source(CostBasis basis) const {
  if (basis == CostBasis::measured || basis == CostBasis::law) return known_.source(basis);
  if (basis == CostBasis::transferred)
    return {Provenance::fitted, "roofline-weighted wave scaling: Yu et al., USENIX ATC 2021, arXiv:2102.00527", "2021"};
  return curve_.source;
}

std::vector<std::string> KernelCost::transfers_from() const {
  std::vector<std::string> names;
  for (const Elsewhere& other : elsewhere_) names.push_back(other.accelerator.name);
  return names;
}

}  // namespace mlsim::sim
