// An `InputPipeline` delivers a job's input: storage, decoding on hosts, the way to the accelerators. Stages work side
// by side behind a prefetching queue, so the slowest sets the rate, and the step takes the longer of itself and this.
//
//   rate = min(storage/stored bytes, threads/decode time, PCIe/delivered bytes)      over all hosts
// (tf.data; Mohan et al., Analyzing and Mitigating Data Stalls in DNN Training, VLDB 2021). Storage is no limit where
// the dataset stays in the host's memory: it is read once, in the first epoch. A dataset that does not fit is read
// again in every epoch, since passes in random order leave little in a page cache.
#pragma once

#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "sim/step/step.hpp"

namespace mlsim::sim {

struct InputStage {
  std::string name;  // "storage"
  PerSecond rate;    // samples, over the whole system
  Statement what;    // "64 hosts of 32 threads, 6.6 ms a sample"
  Source source;
};

struct InputPipeline {
  std::vector<InputStage> stages;            // those that are known; none for synthetic data
  std::vector<ProvenanceEntry> assumptions;  // why a stage is left out

  /// Returns null where no stage is known.
  const InputStage* slowest() const;
  /// Returns the least time between two batches of `samples`; 0 where no stage is known.
  Seconds time(double samples) const;
  /// Returns the time by which input delays a step of `samples` whose own length is `step`.
  Seconds wait(double samples, Seconds step) const { return max(Seconds(0), time(samples) - step); }
};

/// A stack with an input time of its own (StackTerm::input_per_sample, fitted) has its decoding in that time.
InputPipeline input_pipeline(const Plan& plan);

/// Lengthens the step's wait for its input by `wait`: everything behind the input starts that much later.
void delay_by_input(StepOutcome& outcome, Seconds wait);

}  // namespace mlsim::sim
