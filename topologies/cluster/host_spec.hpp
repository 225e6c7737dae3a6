// A `HostSpec` is the host of a machine's accelerators: what its input pipeline and its checkpoints have to work with.
#pragma once

#include <optional>

#include "core/profile/provenance.hpp"
#include "core/units.hpp"

namespace mlsim::topologies {

struct HostSpec {
  int accelerators = 0;                            // accelerators that share one host; 0 = all of a node
  Sourced<double> threads;                         // hardware threads, as clouds count vCPUs
  std::optional<Sourced<Bytes>> memory;            // what may keep a dataset between epochs
  std::optional<Sourced<BytesPerSecond>> storage;  // read rate of what holds the dataset, for one host
};

}  // namespace mlsim::topologies
