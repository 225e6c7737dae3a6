#include "sim/answer/answer_parts.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/process/activity.hpp"
#include "core/quantile.hpp"
#include "sim/stragglers/closed_steps.hpp"

namespace mlsim::sim {
namespace {

ClosedSteps closed_steps(const LoweredPlan& lowered, const StepInputs& inputs, const std::vector<Seconds>& duration) {
  const int ranks = inputs.cluster->ranks();
  const auto groups = [&](AxisSet axes, int role) -> std::vector<std::vector<int>> {
    if (lowered.mesh) return lowered.mesh->mesh.groups(axes, role);
    std::vector<std::vector<int>> all(1, std::vector<int>(ranks));
    std::iota(all.front().begin(), all.front().end(), 0);
    return all;
  };
  return {lowered.graph, duration, ranks, inputs.roles, groups};
}

double largest_slowdown(const std::vector<RankDelay>& ranks) {
  double most = 0;
  for (const RankDelay& rank : ranks) most = std::max(most, rank.slowdown);
  return most;
}

Seconds end_of(const ClosedSteps& steps, const std::vector<RankDelay>& ranks, bool late_input) {
  return late_input || !steps.one_role() ? steps.end(ranks) : steps.end_of_slowest(largest_slowdown(ranks));
}

// Each exchange is as long as for the last rank to join it in a simulated step.
std::vector<Seconds> simulated_durations(const StepInputs& inputs, const StepOutcome& even) {
  std::vector<Seconds> duration = inputs.duration;
  std::vector<bool> seen(duration.size());
  for (const Span& span : even.timeline.spans) {
    if (!is_exchange((*inputs.graph)[span.vertex])) continue;
    const Seconds time = span.end - span.begin;
    duration[span.vertex] = seen[span.vertex] ? min(duration[span.vertex], time) : time;
    seen[span.vertex] = true;
  }
  return duration;
}

Seconds simulated_end(StepInputs inputs, const std::vector<RankDelay>& ranks) {
  Cluster cluster = *inputs.cluster;
  cluster.rank_speed.clear();
  for (const RankDelay& rank : ranks) cluster.rank_speed.push_back(1 / rank.slowdown);
  inputs.cluster = &cluster;
  return simulate_step(inputs).time;
}

StepDistribution summary(std::vector<double> times, Seconds even, Seconds absorbed) {
  std::sort(times.begin(), times.end());
  StepDistribution result;
  result.steps = static_cast<int>(times.size());
  result.mean = Seconds(std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size()));
  result.median = Seconds(quantile(times, 0.5));
  result.p95 = Seconds(quantile(times, 0.95));
  result.p99 = Seconds(quantile(times, 0.99));
  result.even = even;
  result.absorbed = absorbed;
  return result;
}

}  // namespace

std::optional<StepDistribution> step_distribution(const StragglerOptions& options, std::uint64_t seed,
                                                  const LoweredPlan& lowered, const StepInputs& inputs,
                                                  const StepOutcome& even) {
  if (!options.random()) return std::nullopt;
  const bool late_input = options.input_skew.shape != InputSkewShape::none;
  const bool by_message = inputs.fidelity == Fidelity::message && !late_input;
  const ClosedSteps closed =
      closed_steps(lowered, inputs, by_message ? simulated_durations(inputs, even) : inputs.duration);
  const RankDelays delays(options, seed, *inputs.cluster);
  const Seconds known = end_of(closed, RankDelays({}, seed, *inputs.cluster).of_step(0), false);
  std::vector<double> times;
  double absorbed = 0;
  Activity activity("drawing steps", static_cast<std::uint64_t>(options.steps));
  for (int step = 0; step < options.steps; ++step) {
    activity.advance();
    const auto ranks = delays.of_step(step);
    const Seconds waiting = end_of(closed, ranks, late_input) + (even.time - known);
    const Seconds time = by_message ? simulated_end(inputs, ranks) : waiting;
    times.push_back(time.value);
    absorbed += (waiting - time).value;
  }
  return summary(std::move(times), even.time, Seconds(absorbed / options.steps));
}

}  // namespace mlsim::sim
