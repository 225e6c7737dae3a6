// What a kernel costs on an accelerator: measured where it was, else an efficiency curve, else the roofline.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/kernel_key.hpp"
#include "core/profile.hpp"
#include "topologies/cluster.hpp"

namespace mlsim {

/// On what a kernel time rests, from best to worst.
enum class CostBasis { measured, efficiency_curve, roofline };

/// A kernel's time at kernel speed factor k is work / k + fixed. Only the work part shrinks on a faster chip.
struct KernelTime {
  Seconds work;
  Seconds fixed;
  CostBasis basis = CostBasis::roofline;
};

/// Costs of kernels in one precision on one accelerator, from the profiles of that accelerator (nearest first).
class KernelCost {
 public:
  /// Throws Infeasible where the accelerator does not compute in the precision.
  KernelCost(const AcceleratorSpec& accelerator, Precision precision, const std::vector<Profile>& profiles);

  /// The same on a chip with so many times the rate of its units and its memory bandwidth; a measured kernel changes as
  /// the curve or roofline says of it.
  KernelCost scaled(double compute, double memory) const;

  /// One run of the kernel: a measured time, or its work and the fixed time of each of its launches.
  KernelTime time(const KernelWork& work) const;
  /// The curve in use; source.provenance is `datasheet` where there is none and the roofline stands in.
  const EfficiencyCurve& curve() const { return curve_; }
  /// Where a kernel of `basis` has its time from, for the answer.
  Source source(CostBasis basis) const;
  FlopPerSecond peak() const { return peak_; }

 private:
  KernelTime modelled(const KernelWork& work, double compute_scale, double memory_scale) const;

  AcceleratorSpec accelerator_;
  Precision precision_;
  FlopPerSecond peak_;
  EfficiencyCurve curve_;
  bool has_curve_ = false;
  std::map<KernelKey, KernelSample> measured_;
  double compute_ = 1, memory_ = 1;  // as scaled
};

/// FLOP of all equal matrix products of a kernel, each padded to whole tiles of 128 x 128 (K to 8 in 16 bit formats and
/// 32 otherwise), which is what the hardware works through; divided by 1.5 for a fast fp32 convolution.
/// Source: published throughput of 105 single-GPU runs is matched best by this form (docs/models.md, "kernel cost").
Flop padded_flop(const KernelWork& work, Precision precision);

}  // namespace mlsim
