// An anchor whose settings have been read.
#pragma once

#include <string>

#include "core/anchor.hpp"
#include "sim/namespace.hpp"
#include "sim/options/options.hpp"

namespace mlsim::sim {

/// core's Anchor with Options in place of their text.
struct ParsedAnchor {
  ParsedAnchor() = default;
  ParsedAnchor(const Anchor& anchor);  // NOLINT: an anchor, read; throws InputError as options_of does

  std::string id;
  std::string topology;
  int accelerators = 1;
  std::string workload;
  Precision precision = Precision::fp32;
  double global_batch = 1;
  Options options;
  PerSecond throughput;
  Source source;
};

}  // namespace mlsim::sim
