// step_kernels() lists the distinct kernels of training steps, and how much of a step each is.
#pragma once

#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/kernel/kernel_key.hpp"
#include "workloads/lowering/lowering.hpp"

namespace mlsim::calibrate {

/// A `StepChoice` is one step of one rank that a profile shall be able to predict.
struct StepChoice {
  std::string workload;  // catalogue name or the path of a model file
  double batch = 1;      // samples per accelerator
  Precision precision = Precision::fp32;
  bool fusion = true;
};

struct StepKernel {
  KernelWork work;
  double runs = 0;   // in one step, of the workload of which it is the largest part
  double share = 0;  // share of that step's modelled time (modelled_time)
  std::string workload{};
  Bytes step_moved{};        // by all kernels of that step, as StepTraffic::moved
  bool reads_batch = false;  // as StepTraffic::batch_readers, in any of the steps
};

/// These rates stand for a machine nobody has measured yet.
struct AssumedMachine {
  FlopPerSecond compute;
  BytesPerSecond memory;
  Seconds per_kernel;
};
AssumedMachine assumed_processor(int threads);
AssumedMachine assumed_gpu();

/// Returns the larger of computing and moving, plus the launches. It serves to weigh kernels and to guess durations.
Seconds modelled_time(const KernelWork& work, const AssumedMachine& machine);

/// Lists kernels by key, in order of their first run. Each workload has one rank, the catalogue's layers, and the
/// updates of all optimizers its family is trained with, of which the first counts in the shares. Throws InputError for
/// a workload that is not known or a batch that is no batch.
std::vector<StepKernel> step_kernels(const std::vector<StepChoice>& choices, const AssumedMachine& machine);

}  // namespace mlsim::calibrate
