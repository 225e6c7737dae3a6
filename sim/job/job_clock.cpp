#include "sim/job/job_clock.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/quantile.hpp"
#include "core/text/errors.hpp"
#include "sim/job/failures.hpp"

namespace mlsim::sim {
namespace {

// A `FamilyClock` holds for every benchmark, by family and by size: <= 16 accelerators and more.
// spread: one sigma of the log of the clock, from time to train given throughput and epochs on 143 rows of v0.5-v1.0.
// fixed, passes: the pause of an evaluation where the benchmark's own is not known.
struct FamilyClock {
  std::string_view family;
  double spread_small, spread_large;
  double fixed_s, passes;
};
constexpr FamilyClock kGpu{"gpu", 0.012, 0.03, 0.4, 1.0};
constexpr FamilyClock kTpu{"tpu", 0.05, 0.14, 0.5, 3.0};
constexpr FamilyClock kOther{"other", 0.05, 0.05, 0.5, 1.0};
constexpr int kSmall = 16;

// Both are medians of GPU logs: v0.5 counts everything before the first step (18 to 88 s); from v0.6 to v1.0 the time
// from the first touch of the data to steady training is known of systems of at least 64 accelerators (1 to 6 s).
constexpr Seconds kStartupCounted{22}, kStartup{4};
constexpr int kStartupKnown = 64;
constexpr double kStartupUnknown = 1.1;  // from this round on the pauses hold it

const FamilyClock& family_clock(const std::string& family) {
  if (family == kGpu.family) return kGpu;
  if (family == kTpu.family) return kTpu;
  return kOther;
}

EvaluationPause pause_of(const JobClockInputs& inputs, const Recipe& recipe, const FamilyClock& clock) {
  const EvaluationPause* known =
      inputs.benchmark.empty() ? nullptr : convergence_table(inputs.benchmark).pause(recipe, std::string(clock.family));
  if (known != nullptr) return *known;
  EvaluationPause pause;
  pause.family = clock.family;
  pause.eras = {recipe.clock_era};
  pause.fixed = Seconds(clock.fixed_s);
  pause.passes = clock.passes;
  pause.source = {Provenance::assumed, "no row of this benchmark, era and family; typical of MLPerf v0.5-v1.0", {}};
  return pause;
}

struct Context {
  const Recipe& recipe;
  const FamilyClock& clock;
  EvaluationPause pause;
};

Context context_of(const JobClockInputs& inputs) {
  const Recipe& recipe = job_recipe(inputs);
  const FamilyClock& clock = family_clock(inputs.family);
  return {recipe, clock, pause_of(inputs, recipe, clock)};
}

bool counts_initialisation(const Context& c) { return c.recipe.clock_era == "v0.5" && c.clock.family == kGpu.family; }

Seconds init_time(const JobClockInputs& inputs, const Context& c) {
  if (!c.recipe.init_billed || counts_initialisation(c)) return Seconds(0);
  return job_initialisation(inputs).time;
}

// Start-up is inside the pauses, which were fitted on whole jobs.
Seconds startup_time(const Context& c, int accelerators) {
  if (counts_initialisation(c)) return kStartupCounted;
  const bool later = mlperf_round(c.recipe.clock_era) >= kStartupUnknown;
  return c.clock.family == kGpu.family && accelerators >= kStartupKnown && !later ? kStartup : Seconds(0);
}

// Returns the job if nothing fails and no checkpoint is written.
Prediction::Job steady_job(const JobClockInputs& inputs, const Context& c) {
  Prediction::Job job;
  job.clock = inputs.options.clock;
  job.samples_to_target = inputs.target.samples;
  job.epochs_to_target = inputs.target.epochs;
  job.steps = std::ceil(inputs.target.samples / inputs.global_batch);
  job.init = init_time(inputs, c);
  job.train = inputs.target.samples / inputs.throughput;
  job.teardown = inputs.price.teardown.value;
  if (c.recipe.self_play) {
    if (!(inputs.forward_rate.value > 0)) throw InputError("self-play needs a rate of forward passes above 0");
    job.self_play = inputs.target.epochs * c.recipe.self_play->positions_per_iteration() / inputs.forward_rate;
  }
  if (!inputs.options.evaluate) return job;
  job.evaluations = c.recipe.evaluations.count(inputs.target.epochs, inputs.global_batch, c.recipe.samples_per_epoch);
  const Seconds pauses =
      job.evaluations * evaluation_pause(c.pause, inputs.throughput, inputs.validation_samples, inputs.accelerators);
  job.startup = min(startup_time(c, inputs.accelerators), pauses);
  job.evaluation = pauses - job.startup;
  return job;
}

// Returns what share of the steps' time the job takes beyond it.
double overrun_of(const JobClockInputs& inputs) {
  if (inputs.options.overrun) return *inputs.options.overrun;
  return inputs.usual_overrun ? inputs.usual_overrun->share : 0;
}

Seconds work_time(const Prediction::Job& job) { return job.startup + job.self_play + job.train + job.evaluation; }

// "Approximately 78% of the unexpected interruptions are attributed to confirmed hardware issues, such as GPU or host
// component failures, or suspected hardware-related issues", Llama 3, arXiv:2407.21783, section 3.3.4.
constexpr double kHardware = 0.78;

PerSecond failure_rate(const JobClockInputs& inputs) {
  return static_cast<double>(inputs.accelerators) / inputs.failures.time_between_failures.value;
}
PerSecond preemption_rate(const JobClockInputs& inputs) {
  return static_cast<double>(inputs.hosts) * inputs.failures.preemptions_per_vm_hour / hours(1);
}

// Strikes are the failures and preemptions of this job.
struct Strikes {
  PerSecond failures, preemptions;
  PerSecond all() const { return failures + preemptions; }
};
Strikes strikes_of(const JobClockInputs& inputs) {
  return {inputs.failures.failures ? failure_rate(inputs) : PerSecond(0),
          inputs.price.preemptible() ? preemption_rate(inputs) : PerSecond(0)};
}

// Returns how long failures of hardware wait for a node, as a share of all strikes.
SpareWait wait_of(const JobClockInputs& inputs, const Strikes& strikes) {
  const FailureOptions& rules = inputs.failures;
  if (!rules.spares || strikes.failures.value <= 0) return {};
  const PerSecond broken = kHardware * strikes.failures;
  SpareWait wait = wait_for_spares(*rules.spares, broken, rules.repair.value);
  wait.probability *= broken / strikes.all();
  return wait;
}

Seconds checkpoint_time(const JobClockInputs& inputs) {
  return inputs.checkpoint_size / checkpoint_bandwidth(inputs).value;
}

std::optional<Checkpoints> checkpoints_of(const JobClockInputs& inputs, Seconds work) {
  const FailureOptions& rules = inputs.failures;
  const PerSecond rate = strikes_of(inputs).all();
  if (rules.checkpoint == CheckpointRule::off) return std::nullopt;
  if (rules.checkpoint == CheckpointRule::automatic && rate.value <= 0 && !rules.checkpoint_interval)
    return std::nullopt;
  const Seconds cost = checkpoint_time(inputs);
  // A user who writes checkpoints of a job that is not to fail here still fears the usual failures.
  const Seconds interval =
      rules.checkpoint_interval.value_or(best_checkpoint_interval(cost, rate.value > 0 ? rate : failure_rate(inputs)));
  if (interval >= work) return std::nullopt;
  return Checkpoints{interval, cost};
}

ExpectedRun interrupted_run(const JobClockInputs& inputs, Seconds work) {
  const Strikes strikes = strikes_of(inputs);
  return expected_run(work, checkpoints_of(inputs, work),
                      {strikes.all(), inputs.failures.restart.value, wait_of(inputs, strikes)});
}

}  // namespace

Prediction::Job job_clock(const JobClockInputs& inputs) {
  if (!(inputs.throughput.value > 0) || !std::isfinite(inputs.throughput.value))
    throw InputError(fmt::format("a job needs a throughput above 0, not {} samples/s", inputs.throughput.value));
  Prediction::Job job = steady_job(inputs, context_of(inputs));
  const Seconds work = work_time(job);
  const ExpectedRun run = interrupted_run(inputs, work);
  const Strikes strikes = strikes_of(inputs);
  const double preempted = strikes.all().value > 0 ? strikes.preemptions / strikes.all() : 0;
  job.checkpoints = run.checkpoints;
  job.checkpoint = run.checkpoint;
  if (const auto checkpoints = checkpoints_of(inputs, work)) job.checkpoint_interval = checkpoints->interval;
  job.failures = (1 - preempted) * run.failures;
  job.preemptions = preempted * run.failures;
  job.restart = (1 - preempted) * run.lost;
  job.preemption = preempted * run.lost;
  job.overrun = overrun_of(inputs) * job.train;
  const Seconds held = held_time(job, time_to_target(job));
  job.billed = billed_time(inputs.price.billing, held);
  job.billed_without_init = billed_time(inputs.price.billing, held - job.init);
  return job;
}

Sourced<BytesPerSecond> checkpoint_bandwidth(const JobClockInputs& inputs) {
  if (const auto& own = inputs.failures.checkpoint_bandwidth)
    return {*own, {Provenance::assumed, "set by the user", ""}};
  if (!inputs.language_model)
    return {gigabytes_per_second(1),
            {Provenance::assumed, "one host writes to one NVMe disk or a fast file store", ""}};
  const BytesPerSecond of_accelerator = gigabytes_per_second(2000) / 16384;
  return {static_cast<double>(inputs.accelerators) * of_accelerator,
          {Provenance::published, "the store sustains 2 TB/s of 16 384 H100, Llama 3, arXiv:2407.21783, section 3.3.1",
           "2024"}};
}

std::optional<Prediction::Goodput> goodput(const JobClockInputs& inputs) {
  JobClockInputs failing = inputs;
  failing.failures.failures = true;
  failing.price.kind = PriceKind::on_demand;
  const Seconds long_job = hours(1e9);
  const auto checkpoints = checkpoints_of(failing, long_job);
  if (!checkpoints) return std::nullopt;
  try {
    const ExpectedRun run = interrupted_run(failing, long_job);
    return Prediction::Goodput{long_job / run.wall, 1 / failure_rate(inputs), checkpoints->interval, checkpoints->cost};
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

const Recipe& job_recipe(const JobClockInputs& inputs) {
  static const Recipe plain = [] {
    Recipe recipe;
    recipe.clock_era = "v0.6+";
    recipe.evaluations.every = 1;
    recipe.source = {Provenance::assumed, "an evaluation after every epoch", {}};
    return recipe;
  }();
  return inputs.benchmark.empty() ? plain : convergence_table(inputs.benchmark).recipe(inputs.target.recipe);
}

Initialisation job_initialisation(const JobClockInputs& inputs) {
  return initialisation_catalogue().initialisation(
      {inputs.family, inputs.network, inputs.stack, inputs.accelerators, inputs.hosts});
}

EvaluationPause job_pause(const JobClockInputs& inputs) { return context_of(inputs).pause; }

Seconds time_to_target(const Prediction::Job& job) {
  const Seconds timed = work_time(job) + job.checkpoint + job.overrun + job.restart + job.preemption;
  return job.clock == ClockRule::wall ? timed + job.init : timed;
}

Seconds held_time(const Prediction::Job& job, Seconds clock) {
  return (job.clock == ClockRule::wall ? clock : clock + job.init) + job.teardown;
}

Usd job_cost(const Prediction::Job& job, UsdPerSecond price, Charge charge) {
  return price * (charge == Charge::held ? job.billed : job.billed_without_init);
}

double clock_log_spread(const std::string& family, int accelerators) {
  const FamilyClock& clock = family_clock(family);
  return accelerators <= kSmall ? clock.spread_small : clock.spread_large;
}

double time_log_spread(const JobClockInputs& inputs, double step_log_spread) {
  const Seconds work = work_time(steady_job(inputs, context_of(inputs)));
  const double clock = clock_log_spread(inputs.family, inputs.accelerators);
  const bool as_on_record = inputs.usual_overrun && !inputs.options.overrun;
  return std::hypot(std::hypot(inputs.target.log_spread, clock, as_on_record ? inputs.usual_overrun->log_spread : 0.0),
                    std::hypot(step_log_spread, interrupted_run(inputs, work).log_spread));
}

Interval lognormal_interval(double value, double log_spread) {
  return {value * std::exp(-kNormal95 * log_spread), value * std::exp(kNormal95 * log_spread)};
}

Interval job_cost_interval(const Prediction::Job& job, Billing billing, UsdPerSecond price,
                           const Interval& time_to_target, Charge charge) {
  const Seconds free = charge == Charge::held ? Seconds(0) : job.init;
  const auto bill = [&](double clock) {
    return (price * billed_time(billing, held_time(job, Seconds(clock)) - free)).value;
  };
  return {bill(time_to_target[0]), bill(time_to_target[1])};
}

}  // namespace mlsim::sim
