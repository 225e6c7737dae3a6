// These options say by how much ranks are to differ: chips of unequal speed, steps of unequal length, late input.
#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

enum class JitterShape { none, normal, exponential, lognormal, samples };

/// A `Jitter` says by how much a rank's compute time differs from step to step.
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

enum class InputSkewShape { none, normal, exponential, lognormal };

/// An `InputSkew` says by how much the input of a host comes later than that of the readiest host.
struct InputSkew {
  InputSkewShape shape = InputSkewShape::none;
  Seconds scale;     // standard deviation, mean or median
  double sigma = 0;  // sigma of the logarithm of a lognormal

  /// Returns the delay not exceeded with probability `share`, in (0, 1). A host that is early by a normal waits: 0.
  Seconds delay(double share) const;
  bool operator==(const InputSkew&) const = default;
};

/// Takes "exponential:2 ms" (mean), "normal:2 ms" (standard deviation) or "lognormal:2 ms:0.5" (median, and the
/// standard deviation of the logarithm). Throws InputError: an unknown shape, no unit, a time above an hour, a sigma
/// outside 0 to 5.
InputSkew parse_input_skew(const std::string& text);
std::string text(const InputSkew& skew);  // as parse_input_skew reads it; empty without a shape

struct StragglerOptions {
  double speed_spread = 0;  // standard deviation of the chips' speed, as a share of its mean; drawn once
  Jitter jitter;            // of each rank's compute time, drawn for each step
  InputSkew input_skew;     // of each host's input, drawn for each step
  int steps = 200;          // drawn

  /// Tells whether anything is drawn.
  bool random() const {
    return speed_spread > 0 || jitter.shape != JitterShape::none || input_skew.shape != InputSkewShape::none;
  }
  bool operator==(const StragglerOptions&) const = default;
};

}  // namespace mlsim::sim
