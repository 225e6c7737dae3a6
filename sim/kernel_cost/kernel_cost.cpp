#include "sim/kernel_cost/kernel_cost.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/kernel_cost/done_work.hpp"
#include "sim/kernel_cost/kernel_transfer.hpp"
#include "topologies/machine/accelerator_file.hpp"

namespace mlsim::sim {
namespace {

// Only fused attention has a format of its own.
FlopPerSecond peak_of(const KernelWork& work, const RatedChip& chip, bool fused) {
  return fused ? matrix_peak(chip.accelerator, work.key.precision) : chip.peak;
}

// A product in fp32 within a step of 16 bits runs in the step's format where the units have no other: XLA rounds its
// operands (JAX documentation, jax.lax.Precision.DEFAULT).
Precision product_format(const KernelWork& work, const RatedChip& chip) {
  const bool known = chip.accelerator.peak.contains(unit_format(work.key.precision));
  return known ? work.key.precision : chip.precision;
}

// Says whether a product of attention is left to the vector units of a GPU: matrix units read 16-bit rows that start at
// multiples of 16 bytes (NVIDIA, Matrix Multiplication Background: User's Guide, "Tensor Core Requirements"), and heads
// of 150 channels do not.
bool runs_on_vector_units(const KernelWork& work, const RatedChip& chip) {
  constexpr double kTogether = 8;
  if (work.key.op != KernelOp::matmul || element_size(work.key.precision) != Bytes(2)) return false;
  if (chip.accelerator.family != AcceleratorFamily::gpu || !chip.accelerator.peak.contains(Precision::fp32))
    return false;
  const auto split = [](double length) { return std::fmod(length, kTogether) != 0; };
  return split(work.gemm.m) || split(work.gemm.n) || split(work.gemm.k);
}

// No pace, transfer or share takes a kernel below what the units' peak allows.
Seconds least_time(const KernelWork& work, const RatedChip& chip, FlopPerSecond peak) {
  const FlopPerSecond units = fastest_peak(chip.accelerator, chip.precision, peak);
  return work.flop / (units * chip.compute * spared_products(work, chip.precision));
}

Seconds least_time(const KernelWork& work, const RatedChip& chip) {
  return least_time(work, chip, peak_of(work, chip, fused_attention_share(work.key).has_value()));
}

KernelTime by_curve(const KernelWork& work, const RatedChip& chip, FlopPerSecond peak, Seconds time) {
  return {time, chip.curve.per_kernel * work.launches, CostBasis::efficiency_curve, 0, least_time(work, chip, peak)};
}

KernelTime by_curve(const KernelWork& work, const RatedChip& chip, Seconds time) {
  return by_curve(work, chip, chip.peak, time);
}

// Finds the accelerator's first curve in the precision, else that of its kind; empty where neither is known.
std::optional<EfficiencyCurve> known_curve(const AcceleratorSpec& accelerator, Precision precision,
                                           const ProfileRefs& profiles) {
  for (const Profile& profile : profiles) {
    if (profile.accelerator != accelerator.name) continue;
    for (const EfficiencyCurve& curve : profile.efficiency)
      if (same_rate(accelerator, curve.precision, precision)) return curve;
  }
  return std::nullopt;
}

EfficiencyCurve data_sheet(const AcceleratorSpec& accelerator) {
  EfficiencyCurve curve;
  curve.per_kernel = accelerator.kernel_launch.value;
  curve.source = {Provenance::datasheet, accelerator.title + " data sheet: peak rate and memory bandwidth", ""};
  return curve;
}

const TimedKernels* timed_kernels(const std::vector<KernelSource>& sources) {
  return sources.empty() ? nullptr : std::get_if<TimedKernels>(&sources.front());
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
  const Seconds time = transferred_time(known->time, work, chip.precision, from, chip.accelerator);
  return KernelTime{Seconds(0), max(time, least_time(work, chip)), CostBasis::transferred,
                    std::hypot(kTransferSpread, known->log_spread), Seconds(0)};
}

std::optional<KernelTime> ProductShare::time(const KernelWork& work, const RatedChip& chip) const {
  const auto fused = fused_attention_share(work.key);
  if (!fused && !is_matrix_product(work.key.op)) return std::nullopt;
  const bool on_vectors = in_step && runs_on_vector_units(work, chip);
  const Precision format = on_vectors ? Precision::fp32 : product_format(work, chip);
  const ProductEfficiency efficiency = *product_efficiency(chip.accelerator, format);
  const FlopPerSecond peak = matrix_peak(chip.accelerator, format);
  const double left =
      sustained_share(chip.accelerator, format) * software.value_or(tuned_share(chip.accelerator, format));
  const double heat = in_step ? left * direction_share(work.key.op) : 1;
  const double share =
      fused ? *fused * attention * heat : efficiency.compute * std::min(heat, grouped_share(work, chip.accelerator));
  const BytesPerSecond bandwidth = chip.accelerator.memory_bandwidth.value * chip.memory;
  const auto time = [&](Flop flop, Bytes bytes, double reached) {
    return Seconds(
        std::hypot((flop / (peak * reached * chip.compute)).value, (bytes / (bandwidth * efficiency.memory)).value));
  };
  const Bytes bytes = in_step ? summed_bytes(work, chip.accelerator) : work.bytes;
  Seconds least = time(padded_flop(work, format), bytes, share);
  if (keeps_weights(work, chip.accelerator))
    least = min(least, time(work.flop, persistent_bytes(work), share * kPersistentShare));
  return by_curve(work, chip, peak, least + cast_time(work, chip.accelerator, bandwidth));
}

std::optional<KernelTime> TileCurve::time(const KernelWork& work, const RatedChip& chip) const {
  const Seconds units = padded_flop(work, chip.precision) / chip.reached_compute();
  const Seconds moved = (fills_tiles ? fused_bytes(work) : work.bytes) / chip.reached_memory();
  return by_curve(work, chip, fills_tiles ? Seconds(std::hypot(units.value, moved.value)) : units + moved);
}

// The sum predicts unseen networks better than the larger of the two (docs/models.md, "kernel cost").
std::optional<KernelTime> PlainCurve::time(const KernelWork& work, const RatedChip& chip) const {
  const Bytes moved = work.bytes * (work.key.op == KernelOp::optimizer ? 1 : passes);
  return by_curve(work, chip,
                  padded_flop(work, chip.precision) / chip.reached_compute() + moved / chip.reached_memory());
}

std::optional<KernelTime> Roofline::time(const KernelWork& work, const RatedChip& chip) const {
  return KernelTime{max(work.flop / chip.reached_compute(), work.bytes / chip.reached_memory()),
                    chip.curve.per_kernel * work.launches, CostBasis::roofline, 0, least_time(work, chip)};
}

bool is_timed(const KernelSource& source) {
  return std::holds_alternative<TimedKernels>(source) || std::holds_alternative<TransferredKernels>(source);
}

KernelCost::KernelCost(const AcceleratorSpec& accelerator, Precision precision, const std::vector<Profile>& profiles,
                       const std::vector<Profile>& own)
    : chip_{accelerator, precision, matrix_peak(accelerator, precision), data_sheet(accelerator)} {
  const ProfileRefs all = refs_to(own, profiles);
  TimedKernels timed;
  for (const Profile& profile : all)
    if (profile.accelerator == accelerator.name) timed.kernels.add(profile);
  if (!timed.kernels.empty()) sources_.emplace_back(std::move(timed));
  const auto own_curve = known_curve(accelerator, precision, all);
  for (const Profile& profile : own_curve ? refs_to(own) : all) add_transfers(profile);
  const auto curve = own_curve ? own_curve : pooled_curve(accelerator, precision);
  if (curve) chip_.curve = *curve;
  chip_.curve.precision = precision;
  if (!curve) {
    sources_.emplace_back(Roofline());
    return;
  }
  if (product_efficiency(accelerator, precision)) sources_.emplace_back(ProductShare());
  if (accelerator.family == AcceleratorFamily::tpu)
    sources_.emplace_back(TileCurve());
  else
    sources_.emplace_back(PlainCurve());
}

void KernelCost::add_transfers(const Profile& profile) {
  if (profile.accelerator == chip_.accelerator.name || (profile.kernels.empty() && profile.laws.empty())) return;
  const auto other = find_accelerator(profile.accelerator);
  // A processor's times say nothing of a GPU.
  if (!other || other->family != chip_.accelerator.family || !other->peak.contains(chip_.precision)) return;
  TransferredKernels transferred{*other, {}};
  transferred.kernels.add(profile);
  sources_.emplace_back(std::move(transferred));
}

bool KernelCost::depends_on_step() const {
  const TimedKernels* timed = timed_kernels(sources_);
  return timed != nullptr && timed->kernels.last_level() > Bytes(0);
}

KernelCost KernelCost::for_step(const StepTraffic& traffic) const {
  KernelCost result = *this;
  for (KernelSource& source : result.sources_)
    if (auto* timed = std::get_if<TimedKernels>(&source))
      timed->kernels.set_caches(step_cache(traffic.moved, timed->kernels.last_level()), traffic.batch_readers);
  return result;
}

KernelCost KernelCost::for_images(double samples) const {
  KernelCost result = *this;
  const auto full = chip_.curve.full_batch;
  for (KernelSource& source : result.sources_)
    if (auto* curve = std::get_if<TileCurve>(&source)) curve->fills_tiles = !full || samples >= *full;
  return result;
}

KernelCost KernelCost::by_operators(const StackTerm& software) const {
  KernelCost result = *this;
  if (const auto curve = operator_curve(chip_.accelerator, chip_.precision)) result.chip_.curve = *curve;
  for (KernelSource& source : result.sources_) {
    if (auto* products = std::get_if<ProductShare>(&source)) {
      products->in_step = true;
      products->software = software.products;
      products->attention = software.attention.value_or(1);
    }
    if (auto* curve = std::get_if<PlainCurve>(&source)) curve->passes = software.passes.value_or(1);
  }
  return result;
}

KernelCost KernelCost::with_first_flash() const {
  KernelCost result = *this;
  for (KernelSource& source : result.sources_)
    if (auto* products = std::get_if<ProductShare>(&source)) products->attention *= kFirstFlash;
  return result;
}

KernelCost KernelCost::scaled(double compute, double memory) const {
  KernelCost result = *this;
  result.chip_.compute *= compute;
  result.chip_.memory *= memory;
  return result;
}

KernelCost KernelCost::at(const Pace& pace) const {
  KernelCost result = *this;
  result.pace_ = pace;
  return result;
}

KernelCost KernelCost::without_transfers() const {
  KernelCost result = *this;
  std::erase_if(result.sources_, [](const auto& each) { return std::holds_alternative<TransferredKernels>(each); });
  return result;
}

KernelCost KernelCost::curves_only() const {
  KernelCost result = *this;
  std::erase_if(result.sources_, is_timed);
  return result;
}

template <class Counts>
KernelTime KernelCost::first_time(const KernelWork& work, const RatedChip& chip, Counts counts) const {
  for (const KernelSource& source : sources_) {
    if (!counts(source)) continue;
    if (const auto time = std::visit([&](const auto& each) { return each.time(work, chip); }, source)) return *time;
  }
  throw std::logic_error("the last source of a kernel's time knows all kernels");
}

KernelTime KernelCost::time(const KernelWork& work) const {
  KernelTime time = first_time(work, chip_, [](const KernelSource&) { return true; });
  const bool modelled = time.basis == CostBasis::efficiency_curve || time.basis == CostBasis::roofline;
  if (modelled || chip_.as_built()) return time;
  // On another chip a measured kernel changes as its curve or the roofline does.
  RatedChip built = chip_;
  built.compute = built.memory = 1;
  const auto models = [](const KernelSource& source) { return !is_timed(source); };
  const KernelTime now = first_time(work, built, models), then = first_time(work, chip_, models);
  time.fixed = time.fixed * ((then.work + then.fixed) / (now.work + now.fixed));
  return time;
}

Source KernelCost::source(CostBasis basis) const {
  const TimedKernels* timed = timed_kernels(sources_);
  if (timed != nullptr && (basis == CostBasis::measured || basis == CostBasis::law))
    return timed->kernels.source(basis);
  if (basis == CostBasis::transferred)
    return {Provenance::fitted, "roofline-weighted wave scaling: Yu et al., USENIX ATC 2021, arXiv:2102.00527", "2021"};
  return chip_.curve.source;
}

std::vector<std::string> KernelCost::transfers_from() const {
  std::vector<std::string> names;
  for (const KernelSource& source : sources_)
    if (const auto* transferred = std::get_if<TransferredKernels>(&source)) names.push_back(transferred->from.name);
  return names;
}

}  // namespace mlsim::sim
