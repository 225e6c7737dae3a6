// An Anchor is a published or measured speed of a whole step that a prediction may lean on.
#pragma once

#include <string>

#include "core/kernel/precision.hpp"
#include "core/profile/provenance.hpp"
#include "core/settings.hpp"
#include "core/units.hpp"

namespace mlsim {

/// A TimedRun is a run whose speed is known.
struct TimedRun {
  std::string id;
  std::string topology;
  int accelerators = 1;
  std::string workload;
  Precision precision = Precision::fp32;
  double global_batch = 1;
  PerSecond throughput;
  Source source;
};

struct Anchor : TimedRun {
  Settings settings;
};

}  // namespace mlsim
