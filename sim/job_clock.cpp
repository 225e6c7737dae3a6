#include "sim/job_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/errors.hpp"
#include "core/units_text.hpp"

namespace mlsim {
namespace {

constexpr double kNormal95 = 1.645;  // 95th percentile of the standard normal

// Google Cloud and AWS bill virtual machines by the second, a minute at least (pricing pages, since 2017).
constexpr Seconds kLeastBilled{60};

// What holds for every benchmark, by family and by size: <= 16, 17-256, > 256 accelerators.
// init: median seconds off the clock, logs of MLPerf Training v0.6-v1.0.
// spread: one sigma of the log of the clock, from time to train given throughput and epochs on 143 rows of v0.5-v1.0.
// fixed, passes: the pause of an evaluation where the benchmark's own is not known.
struct FamilyClock {
  std::string_view family;
  std::array<double, 3> init_s;
  double spread_small, spread_large;
  double fixed_s, passes;
};
constexpr FamilyClock kGpu{"gpu", {25, 42, 28}, 0.012, 0.03, 0.4, 1.0};
constexpr FamilyClock kTpu{"tpu", {273, 333, 598}, 0.05, 0.14, 0.5, 3.0};
constexpr FamilyClock kOther{"other", {68, 444, 140}, 0.05, 0.05, 0.5, 1.0};
constexpr int kSmall = 16, kMedium = 256;

const FamilyClock& family_clock(const std::string& family) {
  if (family == kGpu.family) return kGpu;
  if (family == kTpu.family) return kTpu;
  return kOther;
}

Seconds init_time(const FamilyClock& clock, int accelerators) {
  return Seconds(clock.init_s[accelerators <= kSmall ? 0 : accelerators <= kMedium ? 1 : 2]);
}

EvaluationPause pause_of(const ConvergenceTable& table, const Recipe& recipe, const FamilyClock& clock) {
  for (const EvaluationPause& pause : table.pauses)
    if (pause.family == clock.family && pause.era == recipe.clock_era) return pause;
  return {std::string(clock.family),
          recipe.clock_era,
          Seconds(clock.fixed_s),
          clock.passes,
          {Provenance::assumed, "no row of this benchmark, era and family; typical of MLPerf v0.5-v1.0", {}}};
}

// Rounded to the nearest: submitters place the grid so that no epoch is wasted.
double evaluations(const EvaluationGrid& grid, double epochs) {
  if (grid.every == 0) return 0;
  return std::max(1.0, std::round(grid.before + (epochs - grid.first) / grid.every));
}

Seconds evaluation_time(const EvaluationPause& pause, PerSecond throughput, double validation_samples) {
  return pause.fixed + pause.passes * (validation_samples / throughput);
}

struct Context {
  const ConvergenceTable& table;
  const Recipe& recipe;
  const FamilyClock& clock;
};

Context context_of(const JobClockInputs& inputs) {
  const ConvergenceTable& table = convergence_table(inputs.benchmark);
  return {table, table.recipe(inputs.target.recipe), family_clock(inputs.family)};
}

}  // namespace

Prediction::Job job_clock(const JobClockInputs& inputs) {
  if (!(inputs.throughput.value > 0) || !std::isfinite(inputs.throughput.value))
    throw InputError(fmt::format("a job needs a throughput above 0, not {} samples/s", inputs.throughput.value));
  const Context c = context_of(inputs);
  const EvaluationPause pause = pause_of(c.table, c.recipe, c.clock);

  Prediction::Job job;
  job.samples_to_target = inputs.target.samples;
  job.epochs_to_target = inputs.target.epochs;
  job.steps = std::ceil(inputs.target.samples / inputs.global_batch);
  job.init = c.recipe.init_billed ? init_time(c.clock, inputs.accelerators) : Seconds();
  job.train = inputs.target.samples / inputs.throughput;
  job.evaluation = evaluations(c.recipe.evaluations, inputs.target.epochs) *
                   evaluation_time(pause, inputs.throughput, inputs.validation_samples);
  job.checkpoint = inputs.checkpoint;
  job.restart = inputs.restart;
  return job;
}

Seconds time_to_accuracy(const Prediction::Job& job) {
  return job.train + job.evaluation + job.checkpoint + job.restart;
}

Usd job_cost(const Prediction::Job& job, UsdPerSecond price) {
  return price * max(kLeastBilled, job.init + time_to_accuracy(job));
}

double clock_log_spread(const std::string& family, int accelerators) {
  const FamilyClock& clock = family_clock(family);
  return accelerators <= kSmall ? clock.spread_small : clock.spread_large;
}

double time_log_spread(const JobClockInputs& inputs, double step_log_spread) {
  return std::hypot(std::hypot(inputs.target.log_spread, clock_log_spread(inputs.family, inputs.accelerators)),
                    step_log_spread);
}

Interval lognormal_interval(double value, double log_spread) {
  return {value * std::exp(-kNormal95 * log_spread), value * std::exp(kNormal95 * log_spread)};
}

Interval job_cost_interval(const Prediction::Job& job, UsdPerSecond price, const Interval& time_to_accuracy) {
  const auto bill = [&](double clock) { return (price * max(kLeastBilled, job.init + Seconds(clock))).value; };
  return {bill(time_to_accuracy[0]), bill(time_to_accuracy[1])};
}

std::vector<ProvenanceEntry> job_provenance(const JobClockInputs& inputs) {
  const Context c = context_of(inputs);
  const EvaluationPause pause = pause_of(c.table, c.recipe, c.clock);
  const auto zero_reason = [](Seconds time, const char* reason) {
    return Source{Provenance::assumed, time.value == 0 ? reason : "set by the user", {}};
  };
  return {
      {"samples to target",
       fmt::format("recipe {}: {:.3g} epochs of {}", c.recipe.name, inputs.target.epochs,
                   count_text(c.recipe.samples_per_epoch)),
       c.recipe.source},
      {"spread of samples to target", fmt::format("{:.3g} of the logarithm", inputs.target.log_spread),
       c.table.spread_source},
      {"evaluation pause",
       fmt::format("{} + {} x validation samples/throughput, {} times", to_text(pause.fixed), pause.passes,
                   evaluations(c.recipe.evaluations, inputs.target.epochs)),
       pause.source},
      {"initialisation",
       c.recipe.init_billed ? to_text(init_time(c.clock, inputs.accelerators)) + ", billed but off the clock"
                            : "left out",
       {Provenance::published, "median of MLPerf Training v0.6-v1.0 logs by family and size", {}}},
      {"checkpoints", to_text(inputs.checkpoint),
       zero_reason(inputs.checkpoint, "MLPerf jobs write none that they wait for")},
      {"failures and restarts", to_text(inputs.restart),
       zero_reason(inputs.restart, "published scores are of runs that did not fail")},
  };
}

}  // namespace mlsim
