// The lengths of a step's nodes at a kernel speed, and the speed that explains a measured step.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "sim/kernel_cost.hpp"
#include "sim/plan.hpp"
#include "sim/step.hpp"

namespace mlsim {

/// Node lengths of one lowered plan as functions of the kernel speed factor. Keeps references: the arguments must
/// outlive it.
class StepCost {
 public:
  StepCost(const Plan& plan, const LoweredPlan& lowered, const KernelCost& cost);

  StepInputs inputs(double speed, Fidelity fidelity, std::optional<Engine> engine = {}) const;
  /// The step without slow ranks, in closed form.
  Seconds nominal_time(double speed) const;
  /// Share of the step's kernel time at speed 1 that rests on each CostBasis.
  std::array<double, 3> basis_shares() const;
  /// Floating-point operations of one rank's step, unpadded.
  Flop flop() const { return flop_; }

 private:
  const Plan& plan_;
  const LoweredPlan& lowered_;
  std::vector<KernelTime> kernel_;  // by vertex; host work and collectives have only a fixed part
  double slowdown_ = 1;             // of kernels while gradients are exchanged
  Flop flop_;
};

/// The kernel speed at which the closed-form step of `plan` takes `measured`, by bisection to 1e-9. Where the fixed
/// parts alone take longer, the largest factor (1000).
double solve_kernel_speed(const Plan& plan, const KernelCost& cost, Seconds measured);

/// The step of one rank alone with the same batch per accelerator.
Seconds single_rank_time(const Plan& plan, const KernelCost& cost, double speed);

}  // namespace mlsim
