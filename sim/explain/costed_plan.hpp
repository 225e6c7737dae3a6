// A plan with the length of everything in its step, on the machine as it is or as it might be.
#pragma once

#include <memory>
#include <vector>

#include "core/units.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "sim/speed/step_cost.hpp"
#include "sim/speed/what_if.hpp"
#include "sim/step/step.hpp"

namespace mlsim::sim {

/// Not copied: its parts refer to each other.
class CostedPlan {
 public:
  CostedPlan(Plan plan, LoweredPlan lowered, const KernelCost& cost, double speed);
  CostedPlan(const CostedPlan&) = delete;

  /// The same under other conditions.
  std::unique_ptr<CostedPlan> under(const WhatIf& what_if) const;

  const Plan& plan() const { return plan_; }
  const LoweredPlan& lowered() const { return lowered_; }
  const StepCost& cost() const { return step_cost_; }
  double speed() const { return speed_; }
  /// Of each vertex on a rank of nominal speed.
  const std::vector<Seconds>& duration() const { return duration_; }

  /// The simulated step with its wait for input.
  StepOutcome outcome(Fidelity fidelity) const;

 private:
  Plan plan_;
  LoweredPlan lowered_;
  KernelCost kernels_;
  double speed_;
  StepCost step_cost_;
  std::vector<Seconds> duration_;
};

}  // namespace mlsim::sim
