#include "sim/explain/costed_plan.hpp"

#include <utility>

#include "sim/job/input_pipeline.hpp"

namespace mlsim::sim {

CostedPlan::CostedPlan(Plan plan, LoweredPlan lowered, const KernelCost& cost, double speed)
    : plan_(std::move(plan)),
      lowered_(std::move(lowered)),
      kernels_(cost),
      speed_(speed),
      step_cost_(plan_, lowered_, kernels_),
      duration_(step_cost_.durations(speed)) {}

std::unique_ptr<CostedPlan> CostedPlan::under(const WhatIf& what_if) const {
  Plan plan = changed(plan_, what_if);
  LoweredPlan lowered = changed(lowered_, plan, what_if);
  return std::make_unique<CostedPlan>(std::move(plan), std::move(lowered),
                                      kernels_.scaled(what_if.compute, what_if.memory), speed_);
}

StepOutcome CostedPlan::outcome(Fidelity fidelity) const {
  StepOutcome outcome = simulate_step(step_cost_.inputs(speed_, fidelity, plan_.options.exchange.engine));
  const Seconds input = input_pipeline(plan_).time(plan_.global_batch);
  delay_by_input(outcome, max(Seconds(0), input - outcome.time));
  return outcome;
}

}  // namespace mlsim::sim
