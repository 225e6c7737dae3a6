// job_clock() goes from throughput and samples to target to the clock of a training job, its bill and their intervals.
//
// T = S/throughput + n * p with p = a + b * V/throughput: p is all that is not steady training, per evaluation (the
// evaluation, restart of the input, first touch of the data, tail). Constants by benchmark, era and family, fitted on
// MLPerf Training v0.5-v1.0 result logs, are in workloads/catalogue/convergence/*.yaml; what holds for every benchmark
// is in job_clock.cpp. The clock is MLPerf's: from v0.6 it starts at the first touch of the data, so initialisation is
// off the clock but billed; v0.5 counts it. Start-up is inside the fitted p and is taken out of them where its length
// is known. Checkpoints, failures and preemptions stretch the whole (sim/job/failures.hpp); published scores have none.
#pragma once

#include <optional>
#include <string>

#include "core/result/prediction.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/options/options.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/initialisation/initialisation.hpp"

namespace mlsim::sim {

/// A training of a given length takes a share of its steps' time beyond it: its software is not that of benchmarks, whose
/// steps are what is known of most chips, and it is interrupted, restarted and slowed. The spread is one sigma of the log
/// of such times, beside that of the steps.
struct UsualOverrun {
  double share = 0, log_spread = 0;
  const char* trainings = "";  // "language models on A100": whose times these are
  const char* table = "";      // in validation/published/
};
/// The share is the median of trainings on A100, by GPU hours or days and tokens of papers and model cards, over what
/// their steps take here.
inline constexpr UsualOverrun kOverrunOfLanguageModels{0.5, 0.3, "language models on A100", "llm_trainings.csv"};
/// Likewise of networks that are no language models, half of those on record.
inline constexpr UsualOverrun kOverrunOfOthers{1.4, 0.6, "networks that are no language models", "trainings.csv"};

struct JobClockInputs {
  std::string benchmark;  // "resnet"; empty for a workload without convergence tables, whose epochs are given
  SamplesToTarget target;
  bool epochs_given = false;      // by the user, in place of a target
  double global_batch = 1;        // samples
  PerSecond throughput;           // steady training
  PerSecond forward_rate;         // forward passes of all accelerators, for benchmarks with self-play
  double validation_samples = 0;  // seen by one evaluation
  std::string family;             // "gpu", "tpu"; any other word is "other"
  std::string network;            // benchmark whose network it is, also where its epochs are given; may be empty
  std::string stack;              // of software; may be empty
  int accelerators = 1;
  int hosts = 1;                              // virtual machines or servers
  Bytes checkpoint_size;                      // weights and optimizer state
  bool language_model = false;                // whose ranks write their parts of a checkpoint at once
  std::optional<UsualOverrun> usual_overrun;  // of trainings like this one; empty where none is on record
  JobOptions options;
  FailureOptions failures;
  PriceOptions price;
};

/// Throws InputError for a throughput that is not positive or an unknown benchmark or recipe, Infeasible where failures
/// let the job never end.
Prediction::Job job_clock(const JobClockInputs& inputs);

/// Returns the rate at which all of a checkpoint is written.
Sourced<BytesPerSecond> checkpoint_bandwidth(const JobClockInputs& inputs);

/// Returns what share of its time a job that goes on and on trains if it fails as `inputs.failures` says, whether these
/// are on or not; preemptions are not counted. Empty where it writes no checkpoints, or fails faster than it advances.
std::optional<Prediction::Goodput> goodput(const JobClockInputs& inputs);

/// Returns how long the job initialises, whether the clock counts that or not, and what says so.
Initialisation job_initialisation(const JobClockInputs& inputs);

/// MLPerf scores all but initialisation and tear-down; the wall clock counts initialisation too.
Seconds time_to_target(const Prediction::Job& job);

/// Returns how long the machines are held for a clock of `clock`, with initialisation and tear-down.
Seconds held_time(const Prediction::Job& job, Seconds clock);

/// A `Charge` says what of the time that machines are held for is paid for: all of it, or all but initialisation, as
/// articles count that multiply the time on the clock by a price.
enum class Charge { held, without_init };

/// The cost is price * billed time.
Usd job_cost(const Prediction::Job& job, UsdPerSecond price, Charge charge = Charge::held);

/// Returns one sigma of the log of the clock, given samples and throughput.
double clock_log_spread(const std::string& family, int accelerators);

/// Returns one sigma of the log of the time of a single run: samples, clock, failures and step time (`step_log_spread`)
/// in quadrature.
double time_log_spread(const JobClockInputs& inputs, double step_log_spread);

/// Returns the 5th and 95th percentile of a lognormal about `value`: value * exp(-+1.645 s).
Interval lognormal_interval(double value, double log_spread);
/// Returns the bill over the interval of the time; initialisation is taken as it is.
Interval job_cost_interval(const Prediction::Job& job, Billing billing, UsdPerSecond price,
                           const Interval& time_to_target, Charge charge = Charge::held);

/// Returns the recipe whose rules of evaluation and clock a job follows; a workload without tables evaluates after each
/// epoch and has the clock of MLPerf from v0.6.
const Recipe& job_recipe(const JobClockInputs& inputs);

/// Returns what one evaluation takes off training: the benchmark's own pause, else what is typical of the family.
EvaluationPause job_pause(const JobClockInputs& inputs);

}  // namespace mlsim::sim
