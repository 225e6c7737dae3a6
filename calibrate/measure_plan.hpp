// A `MeasurePlan` says what a calibration measures, in which order, and what that will cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibrate/kernel_grid.hpp"
#include "calibrate/namespace.hpp"
#include "calibrate/step_kernels.hpp"
#include "core/profile/measurement.hpp"

namespace mlsim::calibrate {

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
