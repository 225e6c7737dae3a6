// A `Jitter` says by how much a rank's compute time differs from step to step.
#pragma once

#include <string>
#include <vector>

#include "sim/namespace.hpp"

namespace mlsim::sim {

enum class JitterShape { none, normal, exponential, lognormal, samples };

/// The distribution of compute times has mean 1, so that a measured mean stays the mean.
struct Jitter {
  JitterShape shape = JitterShape::none;
  double spread = 0;            // standard deviation; of a lognormal that of the logarithm
  std::vector<double> samples;  // relative to their mean, ascending; only for JitterShape::samples
  std::string file;             // that they stand in

  /// Returns the compute time over its mean that is not exceeded with probability `share`, in (0, 1); at least 0.01.
  double factor(double share) const;
  bool operator==(const Jitter&) const = default;
};

/// Takes "normal:0.02", "exponential:0.01", "lognormal:0.05" or "samples:FILE", a text file with one step time a line
/// in any one unit ("#" begins a comment). Throws InputError: an unknown shape, a spread outside 0 to 0.5, a file
/// without two positive numbers.
Jitter parse_jitter(const std::string& text);
std::string text(const Jitter& jitter);  // as parse_jitter reads it; empty without a shape

}  // namespace mlsim::sim
