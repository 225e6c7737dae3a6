// From throughput and samples to target to the clock of a training job, its bill and their intervals.
//
// T = S/throughput + n * p with p = a + b * V/throughput: p is all that is not steady training, per evaluation (the
// evaluation, restart of the input, first touch of the data, tail). Constants by benchmark, era and family, fitted on
// MLPerf Training v0.5-v1.0 result logs, are in workloads/catalogue/convergence/*.yaml; what holds for every benchmark
// is in job_clock.cpp. The clock is MLPerf's: from v0.6 it starts at the first touch of the data, so initialisation is
// off the clock but billed. The seconds from first data to first step (1 to 6 on GPUs) are inside p.
#pragma once

#include <string>
#include <vector>

#include "core/prediction.hpp"
#include "core/units.hpp"
#include "workloads/convergence.hpp"

namespace mlsim {

struct JobClockInputs {
  std::string benchmark;  // "resnet"
  SamplesToTarget target;
  double global_batch = 1;        // samples
  PerSecond throughput;           // steady training
  double validation_samples = 0;  // seen by one evaluation
  std::string family;             // "gpu", "tpu"; any other word is "other"
  int accelerators = 1;
  Seconds checkpoint, restart;  // over the whole job; 0: none modelled, as MLPerf jobs run
};

/// Throws InputError for a throughput that is not positive or an unknown benchmark or recipe.
Prediction::Job job_clock(const JobClockInputs& inputs);

/// What MLPerf scores: training, evaluations, checkpoints and restarts, without initialisation.
Seconds time_to_accuracy(const Prediction::Job& job);

/// price * (initialisation + clock), billed per second and at least a minute (Google Cloud and AWS).
Usd job_cost(const Prediction::Job& job, UsdPerSecond price);

/// One sigma of the log of the clock, given samples and throughput.
double clock_log_spread(const std::string& family, int accelerators);

/// One sigma of the log of the time of a single run: samples, clock and step time (`step_log_spread`) in quadrature.
double time_log_spread(const JobClockInputs& inputs, double step_log_spread);

/// 5th and 95th percentile of a lognormal about `value`: value * exp(-+1.645 s).
Interval lognormal_interval(double value, double log_spread);
/// The bill over the interval of the time; initialisation is taken as it is.
Interval job_cost_interval(const Prediction::Job& job, UsdPerSecond price, const Interval& time_to_accuracy);

/// Where epochs, pauses, initialisation, checkpoints and restarts come from, for Prediction::provenance.
std::vector<ProvenanceEntry> job_provenance(const JobClockInputs& inputs);

}  // namespace mlsim
