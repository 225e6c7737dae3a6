#include "sim/job/failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::sim {
namespace {

constexpr double kNever = 1000;  // times the work

struct Moments {
  double mean = 0, variance = 0;
};

// These compute e^x - 1 - x and e^2x - 2x e^x - 1 without the loss of digits for small x, where both are nearly 0.
double excess(double x) { return x < 1e-4 ? x * x / 2 * (1 + x / 3) : std::expm1(x) - x; }
double scatter(double x) {
  return x < 1e-2 ? x * x * x / 3 * (1 + x * (1 + 0.55 * x)) : std::exp(x) * (std::exp(x) - 2 * x) - 1;
}

// Time is lost until `length` has gone by without a failure at `rate`, from the moment of a fresh try: in all it takes
// (e^x - 1)/rate with variance (e^2x - 2x e^x - 1)/rate^2, x = rate * length, of which `length` is not lost.
Moments lost_time(double length, double rate) {
  const double x = rate * length;
  return {excess(x) / rate, scatter(x) / (rate * rate)};
}

// Returns how long one failed try of `length` lasts. The number of failed tries is geometric with mean e^x - 1.
Moments failed_try(double length, double rate) {
  const double x = rate * length;
  const double tries = std::expm1(x);
  const Moments all = lost_time(length, rate);
  const double mean = all.mean / tries;
  const double number_variance = tries * std::exp(x);
  return {mean, std::max(0.0, (all.variance - number_variance * mean * mean) / tries)};
}

// A wait is 0 or exponential.
Moments moments_of(const SpareWait& wait) {
  const double mean = wait.probability * wait.mean.value;
  return {mean, 2 * mean * wait.mean.value - mean * mean};
}

// A restart begins behind a wait, and may fail like any try, with another wait.
Moments restart_time(const Failures& failures) {
  const double restart = failures.restart.value, x = failures.rate.value * restart;
  const Moments wait = moments_of(failures.wait);
  if (x == 0) return {restart + wait.mean, wait.variance};
  const double tries = std::expm1(x);
  const Moments attempt = failed_try(restart, failures.rate.value);
  const double mean = attempt.mean + wait.mean, variance = attempt.variance + wait.variance;
  return {restart + wait.mean + tries * mean, wait.variance + tries * variance + tries * std::exp(x) * mean * mean};
}

// One segment between checkpoints loses time in failed tries, each with a restart that may fail too.
Moments lost_in_segment(double length, const Failures& failures) {
  const double x = failures.rate.value * length;
  const double tries = std::expm1(x);
  const Moments attempt = failed_try(length, failures.rate.value);
  const Moments again = restart_time(failures);
  const double mean = attempt.mean + again.mean;
  return {tries * mean, tries * (attempt.variance + again.variance) + tries * std::exp(x) * mean * mean};
}

}  // namespace

Seconds best_checkpoint_interval(Seconds cost, PerSecond rate) {
  const double c = cost.value, m = 1 / rate.value;
  if (c >= 2 * m) return Seconds(m);
  const double ratio = c / (2 * m);
  return Seconds(std::sqrt(2 * c * m) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - c);
}

SpareWait wait_for_spares(int spares, PerSecond broken, Seconds repair) {
  // Erlang's recursion: B(0) = 1, B(n) = a B(n - 1)/(n + a B(n - 1)).
  const double load = broken * repair;
  double blocked = 1;
  for (int n = 1; n <= spares; ++n) blocked = load * blocked / (n + load * blocked);
  return {blocked, repair / (spares + 1.0)};
}

ExpectedRun expected_run(Seconds work, const std::optional<Checkpoints>& checkpoints, const Failures& failures) {
  ExpectedRun run;
  const double segments = checkpoints ? work / checkpoints->interval : 1.0;
  run.checkpoints = checkpoints ? segments : 0;
  run.checkpoint = checkpoints ? segments * checkpoints->cost : Seconds(0);
  run.wall = work + run.checkpoint;
  if (failures.rate.value <= 0 || work.value <= 0) return run;

  const double segment = (run.wall / segments).value;
  const Moments lost = lost_in_segment(segment, failures);
  run.lost = Seconds(segments * lost.mean);
  if (!(run.lost < kNever * work)) {
    throw Infeasible(fmt::format("with a failure every {} on average a job of {} never ends {}",
                                 to_text(1 / failures.rate), to_text(work),
                                 checkpoints ? "even with checkpoints" : "without checkpoints"));
  }
  run.wall += run.lost;
  // The rate is constant over all of the wall time but waits, of which each failure has one.
  const double wait = moments_of(failures.wait).mean;
  run.failures = failures.rate * run.wall / (1 + failures.rate.value * wait);
  const double relative = std::sqrt(segments * lost.variance) / run.wall.value;
  run.log_spread = std::sqrt(std::log1p(relative * relative));
  return run;
}

}  // namespace mlsim::sim
