#include "sim/answer/answered_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/text/units_text.hpp"
#include "sim/answer/step_breakdown.hpp"
#include "sim/answer/step_spread.hpp"
#include "sim/answer/step_times.hpp"
#include "sim/job/input_pipeline.hpp"
#include "sim/step/step_limit.hpp"

namespace mlsim::sim {
namespace {

std::optional<Prediction::Input> input_answer(const InputPipeline& input, Seconds wait) {
  const InputStage* slowest = input.slowest();
  if (slowest == nullptr) return std::nullopt;
  return Prediction::Input{slowest->rate, slowest->name, wait.value > 0};
}

Notes input_notes(const InputPipeline& input, Seconds wait) {
  Notes notes;
  notes.provenance = input.assumptions;
  for (const auto& stage : input.stages) {
    notes.provenance.push_back({stage.name, {named("rate", stage.rate), ": ", stage.what}, stage.source});
  }
  const InputStage* slowest = input.slowest();
  if (slowest != nullptr && wait.value > 0) {
    notes.warnings.push_back(fmt::format("input limits: {} delivers {:.3g} samples/s ({}); every step waits {} for it",
                                         slowest->name, slowest->rate.value, slowest->what.text, to_text(wait)));
  }
  return notes;
}

// Simulates the same step with all ranks as fast as the fastest; empty where they are.
std::optional<StepOutcome> step_of_fastest(StepInputs inputs) {
  const std::vector<double>& speed = inputs.cluster->rank_speed;
  if (speed.empty()) return std::nullopt;
  const auto [slowest, fastest] = std::minmax_element(speed.begin(), speed.end());
  if (*slowest == *fastest) return std::nullopt;
  Cluster even = *inputs.cluster;
  even.rank_speed.assign(speed.size(), *fastest);
  inputs.cluster = &even;
  return simulate_step(inputs);
}

// The extra time of ranks that differ is waiting for the slowest. Out of step they may share links less, and take less.
StepBreakdown lengthened(StepBreakdown step, Seconds time, int ranks) {
  const Seconds longer = time - step.time;
  step.time = time;
  if (ranks > 1 && longer.value > 0) {
    step.straggler_wait += longer;
    return step;
  }
  const Seconds unshared = min(max(Seconds(0), -longer), step.exposed_communication);
  step.exposed_communication -= unshared;
  step.communication -= unshared;
  step.compute += longer + unshared;  // one rank's drawn steps are a little shorter or longer than the mean one
  return step;
}

}  // namespace

AnsweredStep answered_step(const PredictRequest& request, const CostedStep& step) {
  const Plan& plan = step.plan();
  const StepInputs inputs = step.inputs(request.fidelity);
  AnsweredStep answer;
  answer.outcome = simulate_step(inputs);
  const InputPipeline input = input_pipeline(plan);
  const Seconds wait = input.wait(plan.global_batch(), answer.outcome.time);
  delay_by_input(answer.outcome, wait);
  answer.input = input_answer(input, wait);
  answer.notes = input_notes(input, wait);
  std::optional<StepOutcome> even = step_of_fastest(inputs);
  if (even) delay_by_input(*even, wait);
  answer.breakdown = step_breakdown(even ? *even : answer.outcome, plan, step.cost().framework_time());
  const int ranks = plan.cluster->ranks();
  if (even) answer.breakdown = lengthened(answer.breakdown, answer.outcome.time, ranks);
  answer.distribution =
      step_distribution(request.options.stragglers, request.seed.value_or(0), step.lowered(), inputs, answer.outcome);
  if (answer.distribution) answer.breakdown = lengthened(answer.breakdown, answer.distribution->mean, ranks);
  check_step_limit(answer.breakdown.time, answer.outcome.timeline);
  answer.log_spread = step_spread(answer.breakdown, step.cost(), step.lowered(), step.log_spread());
  return answer;
}

}  // namespace mlsim::sim
