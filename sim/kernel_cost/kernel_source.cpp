#include "sim/kernel_cost/kernel_source.hpp"

#include <cmath>

#include "sim/kernel_cost/fused_passes.hpp"
#include "sim/kernel_cost/kernel_transfer.hpp"
#include "sim/kernel_cost/matrix_peak.hpp"
#include "sim/kernel_cost/padded_flop.hpp"

namespace mlsim::sim {
namespace {

constexpr double kMostSpared = 4;

// Only fused attention has a format of its own.
FlopPerSecond peak_of(const KernelWork& work, const RatedChip& chip, bool fused) {
  return fused ? matrix_peak(chip.accelerator, work.key.precision) : chip.peak;
}

KernelTime by_curve(const KernelWork& work, const RatedChip& chip, FlopPerSecond peak, Seconds time) {
  // Winograd's F(4x4, 3x3) spares three quarters of the multiplications (Lavin and Gray, arXiv:1509.09308).
  const double spared = work.fast_fp32_convolution && chip.precision == Precision::fp32 ? kMostSpared : 1;
  return {time, chip.curve.per_kernel * work.launches, CostBasis::efficiency_curve, 0,
          work.flop / (peak * chip.compute * spared)};
}

KernelTime by_curve(const KernelWork& work, const RatedChip& chip, Seconds time) {
  return by_curve(work, chip, peak_of(work, chip, fused_attention_share(work.key).has_value()), time);
}

}  // namespace

std::optional<KernelTime> TimedKernels::time(const KernelWork& work, const RatedChip&) const {
  const auto known = kernels.time(work);
  if (!known) return std::nullopt;
  return KernelTime{Seconds(0), known->time, known->basis, known->log_spread, Seconds(0)};
}

std::optional<KernelTime> TransferredKernels::time(const KernelWork& work, const RatedChip& chip) const {
  const auto known = kernels.time(work);
  if (!known) return std::nullopt;
  return KernelTime{Seconds(0), transferred_time(known->time, work, chip.precision, from, chip.accelerator),
                    CostBasis::transferred, std::hypot(kTransferSpread, known->log_spread), Seconds(0)};
}

std::optional<KernelTime> ProductShare::time(const KernelWork& work, const RatedChip& chip) const {
  const auto fused = fused_attention_share(work.key);
  if (!fused && !is_matrix_product(work.key.op)) return std::nullopt;
  const FlopPerSecond peak = peak_of(work, chip, fused.has_value());
  const double share = fused.value_or(efficiency.compute);
  const Seconds units = padded_flop(work, chip.precision) / (peak * share * chip.compute);
  const Seconds moved = work.bytes / (chip.accelerator.memory_bandwidth.value * efficiency.memory * chip.memory);
  return by_curve(work, chip, peak, Seconds(std::hypot(units.value, moved.value)));
}

std::optional<KernelTime> TileCurve::time(const KernelWork& work, const RatedChip& chip) const {
  const Seconds units = padded_flop(work, chip.precision) / chip.reached_compute();
  const Seconds moved = (fills_tiles ? fused_bytes(work) : work.bytes) / chip.reached_memory();
  return by_curve(work, chip, fills_tiles ? Seconds(std::hypot(units.value, moved.value)) : units + moved);
}

// The sum predicts unseen networks better than the larger of the two (docs/models.md, "kernel cost").
std::optional<KernelTime> PlainCurve::time(const KernelWork& work, const RatedChip& chip) const {
  return by_curve(work, chip,
                  padded_flop(work, chip.precision) / chip.reached_compute() + work.bytes / chip.reached_memory());
}

std::optional<KernelTime> Roofline::time(const KernelWork& work, const RatedChip& chip) const {
  return KernelTime{max(work.flop / chip.reached_compute(), work.bytes / chip.reached_memory()),
                    chip.curve.per_kernel * work.launches, CostBasis::roofline, 0, Seconds(0)};
}

bool is_timed(const KernelSource& source) {
  return std::holds_alternative<TimedKernels>(source) || std::holds_alternative<TransferredKernels>(source);
}

}  // namespace mlsim::sim
