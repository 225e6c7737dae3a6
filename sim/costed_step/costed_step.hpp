// A `CostedStep` is a question's plan with the length of everything in its step: what predict and explain both answer
// from.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/pace/step_basis.hpp"
#include "sim/plan/lowered_plan.hpp"
#include "sim/step/step.hpp"
#include "sim/step_cost/step_cost.hpp"

namespace mlsim::sim {

/// A `WhatIf` is the same software on a machine with more or less of a resource, or with another batch.
/// All members are factors; 1 leaves a thing as it is.
struct WhatIf {
  std::array<double, 5> bandwidth{1, 1, 1, 1, 1};  // by LinkKind
  std::array<double, 5> latency{1, 1, 1, 1, 1};    // by LinkKind: of the link and of a message over it
  double call = 1;                                 // latency of each collective as a whole
  double compute = 1;                              // matrix and vector units
  double memory = 1;                               // memory bandwidth
  double batch = 1;                                // samples of every rank; no check that they fit or divide
  bool changes_links() const;
  bool operator==(const WhatIf&) const = default;
};

/// Puts the plan on the changed machine. The kernel speed factor that anchors gave for the real machine goes with it.
Plan changed(Plan plan, const WhatIf& what_if);

/// Costs a lowered plan on the links of `plan`: the schedules stay, so that more of a resource never leads to another
/// algorithm that is slower.
LoweredPlan changed(const LoweredPlan& lowered, const Plan& plan, const WhatIf& what_if);

/// A `CostedStep` has a plan, its step graph and collectives, and what they cost. It is not copied: its parts refer to
/// each other.
class CostedStep {
 public:
  /// `lowered` comes by reference: where it is moved, Boost copies its graph.
  CostedStep(Plan plan, LoweredPlan&& lowered, KernelCost kernels, StepBasis basis, std::vector<std::string> warnings);
  CostedStep(const CostedStep&) = delete;

  /// Costs the same step under other conditions: its algorithms, fused gradients and pace of kernels stay.
  std::unique_ptr<const CostedStep> under(const WhatIf& what_if) const;

  /// These are for its simulation, on the plan's engine.
  StepInputs inputs(Fidelity fidelity) const;

  const Plan& plan() const { return plan_; }
  const LoweredPlan& lowered() const { return lowered_; }
  const KernelCost& kernels() const { return kernels_; }  // at the pace that anchors give
  const StepCost& cost() const { return cost_; }
  const StepBasis& basis() const { return basis_; }
  /// Gives one sigma of the log of the step's time, as far as it rests on runs and curves.
  double log_spread() const { return conformal_spread(difficulty(), cost_.nominal_time()); }
  /// Says how hard the step is to predict.
  StepDifficulty difficulty() const;
  /// The warnings are those of the plan, and of what its costs rest on.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Plan plan_;
  LoweredPlan lowered_;
  KernelCost kernels_;
  StepBasis basis_;
  std::vector<std::string> warnings_;
  StepCost cost_;
};

/// Costs the question's step: its blanks filled in, kernels at the pace of the nearest anchors, none of them
/// transferred from another accelerator where a step on this one is on record, and the step lowered with what Horovod
/// then fuses. `cache` has what other ways to ask the same question solved. Throws InputError, Infeasible or
/// Unavailable.
CostedStep costed_step(const PredictRequest& request, QuestionCache& cache);
CostedStep costed_step(const PredictRequest& request);
/// Costs the same for several that keep it.
std::shared_ptr<const CostedStep> shared_costed_step(const PredictRequest& request, QuestionCache& cache);

}  // namespace mlsim::sim
