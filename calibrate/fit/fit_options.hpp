// All fits share `FitOptions`: how they draw replicas and how much they hold back.
#pragma once

#include <cstdint>

#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

struct FitOptions {
  std::uint64_t seed = 1;
  int replicas = 32;        // bootstrap; 0: none
  double held_back = 0.15;  // share of the samples, the largest, that a second fit leaves out to be tested on
  bool operator==(const FitOptions&) const = default;
};

}  // namespace mlsim::calibrate
