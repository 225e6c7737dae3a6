// A KernelLaw gives the time of kernels of one kind on one accelerator by their work; measured kernels fitted it.
#pragma once

#include <vector>

#include "core/kernel/kernel_key.hpp"
#include "core/profile/provenance.hpp"
#include "core/units.hpp"

namespace mlsim {

/// A fit's errors are absolute relative errors over `count` samples.
struct FitError {
  double median = 0, p90 = 0;
  int count = 0;
  bool operator==(const FitError&) const = default;
};

/// A law says that time = per_kernel * launches + (compute^p + memory^p)^(1/p), where
///  compute = FLOP, each matrix product padded to tiles of tile_m x tile_n and the tiles to whole waves of `units`,
///            over `compute`
///  memory  = bytes / `memory`
/// p = 1 adds the two, a large p takes the larger (the roofline); `compute` and `memory` are at most the machine's
/// ceilings.
struct KernelLaw {
  std::vector<KernelOp> ops;  // kernels that it was fitted to
  Precision precision = Precision::fp32;
  int threads = 0;
  struct Constants {
    FlopPerSecond compute{1};
    BytesPerSecond memory{1};
    Seconds per_kernel;
    bool operator==(const Constants&) const = default;
  };
  Constants constants;
  double exponent = 1;
  int tile_m = 1, tile_n = 1;       // 1: no padding
  int units = 1;                    // units that work on tiles side by side; 1: no waves
  FitError residual, held_back;     // errors of the samples fitted to; errors of those left out (the largest)
  std::vector<Constants> replicas;  // bootstrap
  Source source;
  bool operator==(const KernelLaw&) const = default;
};

}  // namespace mlsim
