// A `ClockRule` says what the clock of a job counts.
#pragma once

#include "core/text/words.hpp"

namespace mlsim {

enum class ClockRule { mlperf, wall };  // wall: initialisation is on the clock too

inline const Words<ClockRule>& words(ClockRule) {
  static const Words<ClockRule> table{"clock", {"mlperf", "wall"}};
  return table;
}

}  // namespace mlsim
