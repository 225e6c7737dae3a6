// A `RealStep` is a whole training step that a processor really runs, again and again.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "calibrate/namespace.hpp"
#include "core/kernel/kernel_key.hpp"
#include "core/text/errors.hpp"
#include "core/units.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::calibrate {

struct KernelTotal {
  int count = 0;
  Seconds time;
};

/// A `KernelTally` sums what the kernels of a step took, by operator.
class KernelTally {
 public:
  /// `timing` says whether kernels are timed one by one, which takes time of its own.
  explicit KernelTally(bool timing = true) : timing_(timing) {}

  /// Runs `kernel` and adds its time.
  template <class Kernel>
  void run(KernelOp op, Kernel&& kernel) {
    if (!timing_) return kernel();
    const auto begin = std::chrono::steady_clock::now();
    kernel();
    add(op, Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
  }

  void add(KernelOp op, Seconds time) {
    KernelTotal& sum = by_op_[op];
    ++sum.count;
    sum.time += time;
  }

  const std::map<KernelOp, KernelTotal>& by_op() const { return by_op_; }

 private:
  bool timing_;
  std::map<KernelOp, KernelTotal> by_op_;
};

class RealStep {
 public:
  virtual ~RealStep() = default;
  virtual void step(KernelTally& tally) = 0;
  /// Returns the mean over the batch, before the last step's update; 0 where nothing is learnt.
  virtual double loss() const { return 0; }
};

/// The run really learns random labels of random samples, with data that flow from kernel to kernel: the same kernels
/// as the step graph of the workload, written out by hand and so independent of it. There is one of resnet20-cifar
/// (momentum) and one of logreg-epsilon (SGD). Throws Unavailable for others and in builds without kernels.
std::unique_ptr<RealStep> training_run(const std::string& workload, std::int64_t batch, int threads);

std::unique_ptr<RealStep> residual_training(std::int64_t batch, int threads);
std::unique_ptr<RealStep> logistic_training(std::int64_t batch, int threads);

/// Calls `visit(work, repeats)` for each kernel in the order in which one rank runs them. Throws Unavailable where a
/// node is an exchange, which needs other ranks.
template <class Visit>
void for_kernels(const StepGraph& graph, Visit&& visit) {
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex) {
    const StepNode& node = graph[vertex];
    if (is_exchange(node)) throw Unavailable("one rank alone cannot run \"" + node.name + "\"");
    for_kernels_of(node, [&](const KernelWork& work) { visit(work, node.repeats); });
  }
}

/// The step runs the graph node for node: every kernel node has its kernel with operands of its own, so that none finds
/// its operands where the one before has left them; nothing is learnt. Throws Unavailable where a node has no kernel.
std::unique_ptr<RealStep> graph_run(const StepGraph& graph, int threads);

}  // namespace mlsim::calibrate
