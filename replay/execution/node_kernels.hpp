// NodeKernels are the kernels of a rank's compute nodes, and the numbers that its exchanges move.
#pragma once

#include <memory>

#include "calibrate/collectives/communicator.hpp"
#include "replay/execution/replay_plan.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

class NodeKernels {
 public:
  virtual ~NodeKernels() = default;

  /// Runs the kernels of a compute node, as often as it repeats.
  virtual void run(workloads::StepVertex vertex) = 0;
  /// Puts into an exchange what this rank brings, and takes out what it gets. The exchange's stream calls both, around
  /// its run.
  virtual void bring(workloads::StepVertex vertex, calibrate::Exchange& exchange) = 0;
  virtual void take(workloads::StepVertex vertex, calibrate::Exchange& exchange) = 0;
};

/// Every node has operands of its own, as in calibrate/step/real_step.hpp; exchanges move whatever is in their buffers.
/// With servers, the rank's own updates its part of the weights behind the last push. Throws Unavailable where this
/// build or machine has no such kernel.
std::unique_ptr<NodeKernels> own_operands(const ReplayPlan& plan, int rank, int ranks, int threads);

}  // namespace mlsim::replay
