// What a kernel costs on an accelerator: measured where it was, else by a law of measured ones, else transferred from
// another accelerator, else an efficiency curve, else the roofline.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/kernel/kernel_key.hpp"
#include "core/profile/profile.hpp"
#include "sim/kernel_cost/cost_basis.hpp"
#include "sim/kernel_cost/known_kernels.hpp"
#include "sim/kernel_cost/operator_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster.hpp"
#include "workloads/lowering/step_traffic.hpp"

namespace mlsim::sim {

/// What whole steps on record say of the kernels of an accelerator, beside what each of them costs by itself.
struct Pace {
  double speed = 1;       // of kernels that rest on a curve or the roofline, against these
  double contention = 0;  // by which fraction the passes of a rank take longer where other ranks run beside it
};

/// A kernel's time at kernel speed factor k is work / k + fixed, its work part not below what the units' peak allows.
/// Only the work part follows the factor that anchors give: what was measured, or follows from what was, is all fixed.
struct KernelTime {
  Seconds work;  // at speed factor 1
  Seconds fixed;
  CostBasis basis = CostBasis::roofline;
  double log_spread = 0;  // one sigma, of what is measured or follows from it
  Seconds least;          // of the work part, at the peak of the units
  Seconds at(double speed) const { return max(work / speed, least) + fixed; }
};

/// Costs of kernels in one precision on one accelerator, from the profiles of that accelerator (nearest first).
class KernelCost {
 public:
  /// The user's `own` profiles come before the others: a kernel that only they know, of another accelerator of the same
  /// family, is transferred from there. From the others kernels are transferred only where the accelerator has no
  /// curve. Throws Infeasible where the accelerator does not compute in the precision.
  KernelCost(const AcceleratorSpec& accelerator, Precision precision, const std::vector<Profile>& profiles,
             const std::vector<Profile>& own = {});

  /// The same on a chip with so many times the rate of its units and its memory bandwidth; a measured kernel changes as
  /// the curve or roofline says of it.
  KernelCost scaled(double compute, double memory) const;
  /// For one kind of step: kernels have the times of hot caches where the last level of the processor that was measured
  /// holds all that the step moves, those that read the batch with the batch fresh; else, as in every other case, the
  /// times of cold ones.
  KernelCost for_step(const StepTraffic& traffic) const;
  /// For a convolutional network with so many samples on the accelerator at once (EfficiencyCurve::full_batch).
  KernelCost for_images(double samples) const;
  /// Whether for_step() may change anything.
  bool depends_on_step() const { return last_level_ > Bytes(0); }
  /// The same kernels at another pace than that of their curve, alone.
  KernelCost at(const Pace& pace) const;
  const Pace& pace() const { return pace_; }
  /// As if no kernel had been measured on another accelerator, or on any.
  KernelCost without_transfers() const;
  KernelCost curves_only() const;

  /// One run of the kernel: its work and the fixed time of each of its launches.
  KernelTime time(const KernelWork& work) const;
  /// The curve in use, the pooled one of its kind where none is known of the accelerator; source.provenance is
  /// `datasheet` where there is none at all and the roofline stands in.
  const EfficiencyCurve& curve() const { return curve_; }
  /// Where a kernel of `basis` has its time from, for the answer.
  Source source(CostBasis basis) const;
  FlopPerSecond peak() const { return peak_; }
  /// Catalogue names of the accelerators that kernels may be transferred from, nearest first.
  std::vector<std::string> transfers_from() const;

 private:
  struct Elsewhere {
    AcceleratorSpec accelerator;
    KnownKernels kernels;
  };

  void add_elsewhere(const Profile& profile);
  KernelTime modelled(const KernelWork& work, double compute_scale, double memory_scale) const;
  KernelTime absolute(const KernelWork& work, Seconds time, CostBasis basis, double log_spread) const;

  AcceleratorSpec accelerator_;
  Precision precision_;
  FlopPerSecond peak_;
  EfficiencyCurve curve_;
  bool has_curve_ = false;
  std::optional<ProductEfficiency> products_;
  Bytes last_level_;  // cache of the processor whose kernels are known; 0: not told
  KnownKernels known_;
  std::vector<Elsewhere> elsewhere_;
  bool fills_tiles_ = true;          // (EfficiencyCurve::full_batch)
  double compute_ = 1, memory_ = 1;  // as scaled
  Pace pace_;
};

/// Edge of the square of a matrix product that works as one: TPU MXU 128 x 128, the usual block of threads on a GPU.
inline constexpr int kMatrixTile = 128;

/// FLOP of all equal matrix products of a kernel, each padded to whole tiles of 128 x 128 (K to 8 in 16 bit formats and
/// 32 otherwise), which is what the hardware works through; divided by 1.5 for a fast fp32 convolution.
/// Source: published throughput of 105 single-GPU runs is matched best by this form (docs/models.md, "kernel cost").
Flop padded_flop(const KernelWork& work, Precision precision);

}  // namespace mlsim::sim
