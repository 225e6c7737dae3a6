// These options say by how much ranks are to differ: chips of unequal speed, steps of unequal length, late input.
#pragma once

#include "sim/namespace.hpp"
#include "sim/stragglers/input_skew.hpp"
#include "sim/stragglers/jitter.hpp"

namespace mlsim::sim {

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
