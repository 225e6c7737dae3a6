// The sources of a kernel's time are asked in turn. Each has a time for the kernels that it knows, and none for the
// others.
#pragma once

#include <optional>
#include <variant>

#include "core/kernel/kernel_key.hpp"
#include "core/profile/profile.hpp"
#include "sim/kernel_cost/kernel_time.hpp"
#include "sim/kernel_cost/known_kernels.hpp"
#include "sim/kernel_cost/operator_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// All sources see an accelerator in one precision like this, with so many times the rates of its data sheet.
struct RatedChip {
  AcceleratorSpec accelerator;
  Precision precision = Precision::fp32;
  FlopPerSecond peak;
  EfficiencyCurve curve;  // of the data sheet itself where none is known
  double compute = 1, memory = 1;

  bool as_built() const { return compute == 1 && memory == 1; }
  FlopPerSecond reached_compute() const { return peak * curve.compute * compute; }
  BytesPerSecond reached_memory() const { return accelerator.memory_bandwidth.value * curve.memory * memory; }
};

/// This source knows kernels timed on the accelerator, and laws of timed ones.
struct TimedKernels {
  KnownKernels kernels;
  std::optional<KernelTime> time(const KernelWork& work, const RatedChip& chip) const;
};

/// This source knows kernels timed on another accelerator of the family.
struct TransferredKernels {
  AcceleratorSpec from;
  KnownKernels kernels;
  std::optional<KernelTime> time(const KernelWork& work, const RatedChip& chip) const;
};

/// This source times matrix products and fused attention by the share of the peak that products reach by themselves.
struct ProductShare {
  ProductEfficiency efficiency;
  std::optional<KernelTime> time(const KernelWork& work, const RatedChip& chip) const;
};

/// On the curve of a TPU, units and memory work beside each other, and normalisations join convolutions, where samples
/// fill the tiles (EfficiencyCurve::full_batch).
struct TileCurve {
  bool fills_tiles = true;
  std::optional<KernelTime> time(const KernelWork& work, const RatedChip& chip) const;
};

/// This source is the curve of other accelerators.
struct PlainCurve {
  std::optional<KernelTime> time(const KernelWork& work, const RatedChip& chip) const;
};

/// An accelerator without a curve is costed by its data sheet.
struct Roofline {
  std::optional<KernelTime> time(const KernelWork& work, const RatedChip& chip) const;
};

using KernelSource = std::variant<TimedKernels, TransferredKernels, ProductShare, TileCurve, PlainCurve, Roofline>;

/// Says whether the source's times are measured, so that no pace changes them, and not those of a curve or the data
/// sheet.
bool is_timed(const KernelSource& source);

}  // namespace mlsim::sim
