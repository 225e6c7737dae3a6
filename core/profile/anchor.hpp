// An Anchor is a published or measured speed of a whole step that a prediction may lean on.
#pragma once

#include <map>
#include <string>

#include "core/kernel/precision.hpp"
#include "core/profile/provenance.hpp"
#include "core/units.hpp"

namespace mlsim {

/// `Settings` are keys and values as --set takes them: "stack" -> "mlperf-v0.6", "data" -> "synthetic".
using Settings = std::map<std::string, std::string>;

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
