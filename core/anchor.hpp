// A published or measured speed of a whole step that a prediction may lean on.
#pragma once

#include <map>
#include <string>

#include "core/precision.hpp"
#include "core/provenance.hpp"
#include "core/units.hpp"

namespace mlsim {

/// Settings as --set takes them, key to value: "stack" -> "mlperf-v0.6", "data" -> "synthetic".
using Settings = std::map<std::string, std::string>;

struct Anchor {
  std::string id;
  std::string topology;
  int accelerators = 1;
  std::string workload;
  Precision precision = Precision::fp32;
  double global_batch = 1;
  Settings settings;
  PerSecond throughput;
  Source source;
};

}  // namespace mlsim
