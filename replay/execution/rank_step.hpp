// A RankStep runs one rank's step: kernels on one stream, exchanges on others as soon as what they carry is there.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/collectives/communicator.hpp"
#include "core/result/replay_run.hpp"
#include "replay/execution/node_kernels.hpp"
#include "replay/execution/replay_plan.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// An extent is all of a step, or its kernels as if exchanges took no time, or its exchanges as if kernels took none.
enum class StepExtent { whole, kernels, exchanges };

class RankStep {
 public:
  using Exchanges = std::map<workloads::StepVertex, std::unique_ptr<calibrate::Exchange>>;

  /// The arguments must outlive the step. `failed` is told at once why a stream failed: other ranks may wait for ever.
  RankStep(const ReplayPlan& plan, int stage, NodeKernels& kernels, const Exchanges& exchanges,
           std::function<void(const std::string&)> failed);

  /// Runs the step on threads of its own: compute, communication, what is sent and what is received, each in vertex
  /// order. Spans are on this process's clock, by begin within a stream. Throws what a stream threw first; the others
  /// end at their next node.
  std::vector<ReplaySpan> run(StepExtent extent);

 private:
  class Run;
  struct Stream {
    std::vector<workloads::StepVertex> nodes;
    bool computes = false;
  };

  const ReplayPlan& plan_;
  int stage_;
  NodeKernels& kernels_;
  const Exchanges& exchanges_;
  std::function<void(const std::string&)> failed_;
  std::vector<Stream> streams_;  // compute first
};

}  // namespace mlsim::replay
