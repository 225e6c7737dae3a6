// An `InputSkew` says by how much the input of a host comes later than that of the readiest host.
#pragma once

#include <string>

#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

enum class InputSkewShape { none, normal, exponential, lognormal };

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

}  // namespace mlsim::sim
