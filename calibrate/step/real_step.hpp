// A `RealStep` is a whole training step that a processor really runs, again and again.
#pragma once

#include <memory>
#include <string>

#include "calibrate/namespace.hpp"
#include "calibrate/step/kernel_tally.hpp"

namespace mlsim::calibrate {

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

}  // namespace mlsim::calibrate
