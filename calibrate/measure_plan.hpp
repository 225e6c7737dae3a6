// A `MeasurePlan` says what a calibration measures, in which order, and what that will cost; step_kernels() lists the
// distinct kernels of training steps, and how much of a step each is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/kernel/kernel_key.hpp"
#include "core/profile/measurement.hpp"
#include "workloads/lowering/lowering.hpp"

namespace mlsim::calibrate {

/// kernel_grid() lists kernels over a range of sizes, so that laws can be fitted beyond those of one workload.
enum class KernelDevice { cpu, cuda };

/// The grid has products over powers of two, convolutions in three passes, normalisations, losses, updates, look-ups
/// and elementwise kernels, from within a cache to far beyond it. A size takes up to about a second on one core.
std::vector<KernelKey> kernel_grid(KernelDevice device, Precision precision);

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

/// Returns the larger of computing and moving, plus the launches. It serves to weigh kernels and to guess durations.
Seconds modelled_time(const KernelWork& work, const AssumedMachine& machine);

/// Lists kernels by key, in order of their first run. Each workload has one rank, the catalogue's layers, and the
/// updates of all optimizers its family is trained with, of which the first counts in the shares. Throws InputError for
/// a workload that is not known or a batch that is no batch.
std::vector<StepKernel> step_kernels(const std::vector<StepChoice>& choices, const AssumedMachine& machine);

struct PlannedMeasurement {
  MeasureOrder order;
  double runs = 0, share = 0;  // as StepKernel's; 0 where no step runs it
  std::string workload;        // empty: a point of the grid or a probe
  Seconds expected;            // one run, by modelled_time; 0: not known
};

struct MeasurePlan {
  std::vector<PlannedMeasurement> measurements;
  /// Returns a digest of what is measured and how, in hexadecimal: a journal of another plan cannot go on.
  std::string identity() const;
};

struct PlanChoices {
  KernelDevice device = KernelDevice::cpu;
  std::vector<StepChoice> steps;
  std::vector<std::string> probes;  // as ProbeSample::name
  std::vector<int> threads{0};
  std::vector<Cache> caches{Cache::cold};  // empty: for each kernel the one in which its step finds it
  Bytes last_level;                        // the size of the last level of cache decides that
  bool grid = true;
  StoppingRule rule;
  std::uint64_t seed = 1;
};

/// Plans each kernel of the steps and the grid once for every number of threads and state of the caches (a fresh batch
/// only where the kernel is the first to read it), and each probe for every number of threads. First come the kernels
/// of steps and the probes, then the grid, both in an order drawn from the seed, so that a machine that warms up or is
/// disturbed for a while spoils no one kind of kernel.
MeasurePlan measure_plan(const PlanChoices& choices);

/// The order is drawn from `seed`, the same on every machine.
void shuffle(std::vector<PlannedMeasurement>& measurements, std::uint64_t seed);

/// Returns what the measurement takes at most, checking and warming up included.
Seconds cost(const PlannedMeasurement& measurement);
Seconds cost(const MeasurePlan& plan);

}  // namespace mlsim::calibrate
