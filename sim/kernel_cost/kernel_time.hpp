// A `KernelTime` is what a kernel takes, and on what its time rests.
#pragma once

#include <cstddef>

#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// The bases stand from best to worst: timed; a law fitted to timed kernels of its kind; timed on another accelerator;
/// a curve fitted to whole steps; the data sheet.
enum class CostBasis { measured, law, transferred, efficiency_curve, roofline };

inline constexpr std::size_t kCostBases = 5;

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

}  // namespace mlsim::sim
