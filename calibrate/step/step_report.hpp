// A `StepReport` compares a step that was really run with the sum of its kernels, each measured alone in turns with it.
#pragma once

#include <map>
#include <string>

#include "calibrate/namespace.hpp"
#include "calibrate/step/step_meter.hpp"
#include "core/profile/measurement.hpp"

namespace mlsim::calibrate {

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
