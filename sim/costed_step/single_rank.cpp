#include "sim/costed_step/single_rank.hpp"

#include <algorithm>

#include "sim/step_cost/step_cost.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

SingleRank single_rank(const Model& model, const StepPlan& step, const StackTerm& stack, const KernelCost& cost) {
  const double batch = step.batch_per_accelerator;
  StepPlan single = step;
  single.parallelism = {};
  single.sharded_update = single.parameter_servers = false;
  // Ranks that share samples are compared with one that has all of theirs, and are to be that many times as fast.
  const double own = batch * step.parallelism.batch_ranks() / step.parallelism.ranks(), share = own / batch;
  const auto alone = [&](const Model& whole) {
    const LoweredPlan lowered{lower(whole, single), {}, {}, {}};
    const StepCost costed(lowered, single_rank_terms(stack), cost);
    return SingleRank{costed.nominal_time() * share, costed.flop() * share};
  };
  SingleRank rank = alone(model);
  const bool fused =
      std::any_of(model.layers.begin(), model.layers.end(), [](const Layer& layer) { return layer.flash; });
  if (single.recompute == Recompute::off && !fused) return rank;
  single.recompute = Recompute::off;
  Model plain = model;
  set_attention(plain, AttentionKernels::unfused);
  rank.model_flop = alone(plain).model_flop;
  return rank;
}

}  // namespace mlsim::sim
