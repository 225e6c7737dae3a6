// StepTraffic is what a step does to the caches.
#pragma once

#include <set>

#include "core/kernel/kernel_key.hpp"
#include "core/units.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::workloads {

struct StepTraffic {
  Bytes moved;  // by all kernels, to and from memory at least
  /// No kernel comes before these convolutions and dense layers: nothing has read what they read, so that no cache
  /// holds it. The row numbers that a gather reads are small against the rows.
  std::set<KernelKey> batch_readers;
};

StepTraffic step_traffic(const StepGraph& graph);

}  // namespace mlsim::workloads
