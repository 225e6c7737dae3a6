// A `SingleRank` is one rank alone, against which many are compared.
#pragma once

#include "core/profile/profile.hpp"
#include "core/units.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "workloads/lowering/step_plan.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// One rank alone has the whole model and the same batch per accelerator, at the rate that it has with the samples of a
/// rank's part, which are more where ranks share them.
struct SingleRank {
  Seconds time;     // of its step
  Flop model_flop;  // of the passes, none of them twice; attention over all pairs, whatever its kernels spare or repeat
};

/// Gives the step of one rank alone on the samples of all ranks, in micro-batches as large as those of `step`, so that
/// it updates the weights as often as they do.
Seconds whole_batch_time(const Model& model, const StepPlan& step, const StackTerm& stack, const KernelCost& cost);

/// `step` is that of the many ranks.
SingleRank single_rank(const Model& model, const StepPlan& step, const StackTerm& stack, const KernelCost& cost);

}  // namespace mlsim::sim
