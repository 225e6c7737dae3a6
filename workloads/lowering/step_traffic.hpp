// What a step does to the caches.
#pragma once

#include <set>

#include "core/kernel/kernel_key.hpp"
#include "core/units.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::workloads {

struct StepTraffic {
  Bytes moved;  // by all kernels, to and from memory at least
  /// Convolutions and dense layers that no kernel comes before: what they read has been read by no one, so that no
  /// cache holds it. The row numbers that a gather reads are small against the rows.
  std::set<KernelKey> batch_readers;
};

StepTraffic step_traffic(const StepGraph& graph);

}  // namespace mlsim::workloads
