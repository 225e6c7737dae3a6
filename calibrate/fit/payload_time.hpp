// A `PayloadTime` is what a collective took at one payload, without the statistics behind it.
#pragma once

#include "calibrate/namespace.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

struct PayloadTime {
  Bytes payload;
  Seconds time;
  bool operator==(const PayloadTime&) const = default;
};

}  // namespace mlsim::calibrate
