// A step that was really run beside the sum of its kernels, each measured alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibrate/step/step_run.hpp"
#include "core/measurement.hpp"

namespace mlsim {

struct StepOrder {
  std::string workload;
  double batch = 128;
  int runs = 5;
  int threads = 0;        // all cores
  StoppingRule kernel{};  // of a kernel that is measured alone
};

/// Times by what the kernels do, and how many there are.
using TimeByOp = std::map<KernelOp, KernelTime>;

struct StepMeasurement {
  SampleStatistics time;  // of whole steps
  TimeByOp by_op;         // median over the runs; what is missing to the whole is the host's between kernels
  double first_loss = 0, last_loss = 0;
};

struct StepReport {
  StepOrder order;
  Cache cache = Cache::cold;  // as step_cache
  StepMeasurement graph, training;
  std::string no_training;  // why there is none
  std::map<Cache, TimeByOp> predicted;
};

/// What a kernel of the step finds in the caches: a step that moves more than the last level holds leaves nothing of
/// what it reads again, a smaller one nearly everything.
Cache step_cache(const StepGraph& graph);

/// `runs` steps after two that warm up.
StepMeasurement measured_step(StepRun& run, int runs);

/// Of every kernel of the graph: the median of its key measured alone. Throws Unavailable where one cannot be.
TimeByOp predicted_step(const StepGraph& graph, Cache cache, const StepOrder& order);

Seconds total(const TimeByOp& times);
int kernels(const TimeByOp& times);

/// Throws InputError where the order has no meaning, Unavailable in builds without kernels.
StepReport step_report(const StepOrder& order);
std::string to_json(const StepReport& report);

}  // namespace mlsim
