#include "sim/answer/answered_step.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/units_text.hpp"
#include "sim/answer/step_breakdown.hpp"
#include "sim/job/input_pipeline.hpp"
#include "sim/speed/step_spread.hpp"
#include "sim/speed/step_times.hpp"

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

// The step is the mean of the drawn ones; what they take longer is waiting for the slowest.
StepBreakdown mean_step(StepBreakdown step, const StepDistribution& distribution, int ranks) {
  const Seconds longer = distribution.mean - step.time;
  step.time = distribution.mean;
  // One rank waits for nobody: its drawn steps are a little shorter or longer than the mean one.
  (ranks > 1 && longer.value > 0 ? step.straggler_wait : step.compute) += longer;
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
  answer.breakdown =
      step_breakdown(answer.outcome, plan, step.cost().framework_time(), step.cost().nominal_time() + wait);
  answer.distribution =
      step_distribution(request.options.stragglers, request.seed.value_or(0), step.lowered(), inputs, answer.outcome);
  if (answer.distribution) answer.breakdown = mean_step(answer.breakdown, *answer.distribution, plan.cluster->ranks());
  answer.log_spread = step_spread(answer.breakdown, step.cost(), step.lowered(), step.log_spread());
  return answer;
}

}  // namespace mlsim::sim
