// A ServerUpdate updates a parameter server's part of all weights, once the last gradients are there.
#pragma once

#include "kernels/cpu/fused/update.hpp"
#include "replay/execution/replay_plan.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

class ServerUpdate {
 public:
  /// Updates as the server of each of `ranks` ranks does.
  ServerUpdate(const ReplayPlan& plan, int ranks, int threads);
  /// The rank tells it of each exchange that is done.
  void after(const workloads::StepNode& node);

 private:
  kernels::Tensors tensors_;
  UpdateRule rule_;
  std::size_t pushes_, pushed_ = 0;  // of a step, and of this one so far
  int threads_;
};

}  // namespace mlsim::replay
