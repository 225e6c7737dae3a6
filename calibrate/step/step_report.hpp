// A `StepReport` compares a step that was really run with the sum of its kernels, each measured alone in turns with it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "calibrate/step/real_step.hpp"
#include "core/profile/measurement.hpp"
#include "kernels/timed.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::calibrate {

/// Times are summed by operator, with the number of kernels.
using TimeByOp = std::map<KernelOp, KernelTotal>;

struct StepMeasurement {
  SampleStatistics time;  // whole steps
  TimeByOp by_op;         // median over as many other runs, whose kernels were timed one by one
  double first_loss = 0, last_loss = 0;
};

/// A `StepMeter` samples whole steps, a `KernelMeter` their kernels alone, in turns: what else the machine does
/// meanwhile, neighbours of a virtual one above all, then slows both alike.
class StepMeter {
 public:
  /// Warms up. `run` must outlive the meter.
  explicit StepMeter(RealStep& run);
  /// Runs two steps: one for its kernels, one for its time.
  void step();
  /// Returns the measurement of the steps so far, at least one.
  StepMeasurement result() const;

 private:
  RealStep& run_;
  double first_loss_ = 0;
  std::vector<Seconds> whole_;
  std::map<KernelOp, std::vector<Seconds>> by_op_;
  std::map<KernelOp, int> counts_;
};

/// A `KernelMeter` has every kernel of a step graph with operands of its own.
class KernelMeter {
 public:
  /// Warms up. Throws Unavailable where there is no such kernel.
  KernelMeter(const StepGraph& graph, int threads);
  /// Samples each kernel once with cold and once with hot caches, those that read the batch with a fresh one.
  void sample();
  /// Sums over the step that is cold or hot: of every kernel its median so far.
  TimeByOp step(Cache cache) const;

 private:
  struct Kernel {
    KernelOp op = KernelOp::elementwise;
    int count = 0;
    Cache warm = Cache::hot;  // in a hot step
    std::unique_ptr<Timed> timed;
    std::map<Cache, std::vector<Seconds>> times;
  };
  std::vector<Kernel> kernels_;
};

struct RealStepOrder {
  std::string workload;
  double batch = 128;
  int runs = 5;
  int threads = 0;  // all cores
};

struct StepReport {
  RealStepOrder order;
  Cache cache = Cache::cold;  // as step_cache
  StepMeasurement graph, training;
  std::string no_training;  // why there is none
  std::map<Cache, TimeByOp> predicted;
};

/// Returns what a kernel of the step finds in the caches of this machine.
Cache step_cache(const StepGraph& graph);

Seconds total(const TimeByOp& times);
int kernels(const TimeByOp& times);

/// Throws InputError where the order has no meaning, Unavailable in builds without kernels.
StepReport step_report(const RealStepOrder& order);
std::string to_json(const StepReport& report);

}  // namespace mlsim::calibrate
