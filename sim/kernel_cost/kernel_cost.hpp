// A `KernelCost` has what kernels cost on an accelerator: by the first that knows it of timed kernels and their laws,
// kernels timed on other accelerators, the share that matrix products reach, and an efficiency curve or else the
// roofline.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/kernel/kernel_key.hpp"
#include "core/profile/profile.hpp"
#include "sim/kernel_cost/kernel_time.hpp"
#include "sim/kernel_cost/known_kernels.hpp"
#include "sim/kernel_cost/operator_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

/// The sources of a kernel's time are asked in turn. Each has a time for the kernels that it knows, and none for the
/// others.
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
  bool in_step = false;                 // of a language model, whose products heat the chip
  std::optional<double> software = {};  // what its products reach then of what the heat leaves; empty: as tuned ones do
  double attention = 1;                 // what fused attention reaches of its share
  std::optional<KernelTime> time(const KernelWork& work, const RatedChip& chip) const;
};

/// This source times kernels on the curve of a TPU: units and memory work beside each other, and normalisations join
/// convolutions, where samples fill the tiles (EfficiencyCurve::full_batch).
struct TileCurve {
  bool fills_tiles = true;
  std::optional<KernelTime> time(const KernelWork& work, const RatedChip& chip) const;
};

/// This source is the curve of other accelerators. All but updates move `passes` times the bytes that are counted.
struct PlainCurve {
  double passes = 1;
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

/// A `Pace` is what whole steps on record say of an accelerator's kernels, beside what each of them costs by itself.
struct Pace {
  double speed = 1;       // of kernels that rest on a curve or the roofline, against these
  double contention = 0;  // by which fraction the passes of a rank take longer where other ranks run beside it

  /// Updates go over memory and no more, whatever holds up the passes of their network: they are no slower than that.
  double of(StepPart part) const { return part == StepPart::optimizer ? std::max(1.0, speed) : speed; }
};

/// Costs are those of one precision on one accelerator, from the profiles of that accelerator (nearest first).
class KernelCost {
 public:
  /// The user's `own` profiles come before the others: a kernel that only they know, of another accelerator of the same
  /// family, is transferred from there. From the others kernels are transferred only where the accelerator has no
  /// curve. Throws Infeasible where the accelerator does not compute in the precision.
  KernelCost(const AcceleratorSpec& accelerator, Precision precision, const std::vector<Profile>& profiles,
             const std::vector<Profile>& own = {});

  /// Gives the cost on a chip with so many times the rate of its units and its memory bandwidth; a measured kernel
  /// changes as the curve or roofline says of it.
  KernelCost scaled(double compute, double memory) const;
  /// Gives the cost in one kind of step: kernels have the times of hot caches where the last level of the measured
  /// processor holds all that the step moves (those that read the batch, with the batch fresh), and else the times of
  /// cold ones.
  KernelCost for_step(const StepTraffic& traffic) const;
  /// Gives the cost in a convolutional network with so many samples on the accelerator at once
  /// (EfficiencyCurve::full_batch).
  KernelCost for_images(double samples) const;
  /// Gives the cost in a language model, all of whose kernels are costed by what operators reach by themselves
  /// (operator_curve()): no curve of whole steps of other networks says anything of them. The software says what its
  /// products and passes are to tuned software's.
  KernelCost by_operators(const StackTerm& software = {}) const;
  /// Gives the cost with the first FlashAttention (AttentionKernels).
  KernelCost with_first_flash() const;
  /// Says whether for_step() may change anything.
  bool depends_on_step() const;
  /// Gives the same kernels at another pace than that of their curve, alone.
  KernelCost at(const Pace& pace) const;
  const Pace& pace() const { return pace_; }
  /// These cost kernels as if none had been measured on another accelerator, or on any.
  KernelCost without_transfers() const;
  KernelCost curves_only() const;

  /// Times one run of the kernel: its work and the fixed time of each of its launches.
  KernelTime time(const KernelWork& work) const;
  /// The curve in use is the pooled one of its kind where none is known of the accelerator; source.provenance is
  /// `datasheet` where there is none at all and the roofline stands in.
  const EfficiencyCurve& curve() const { return chip_.curve; }
  /// Says where a kernel of `basis` has its time from, for the answer.
  Source source(CostBasis basis) const;
  FlopPerSecond peak() const { return chip_.peak; }
  /// Lists the catalogue names of the accelerators that kernels may be transferred from, nearest first.
  std::vector<std::string> transfers_from() const;

 private:
  void add_transfers(const Profile& profile);
  template <class Counts>
  KernelTime first_time(const KernelWork& work, const RatedChip& chip, Counts counts) const;

  RatedChip chip_;
  std::vector<KernelSource> sources_;  // the first that knows a kernel has its time; the last knows all
  Pace pace_;
};

}  // namespace mlsim::sim
