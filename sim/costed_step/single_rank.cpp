#include "sim/costed_step/single_rank.hpp"

#include <algorithm>

#include "sim/step_cost/step_cost.hpp"

namespace mlsim::sim {
namespace {

StepPlan alone(StepPlan step) {
  step.parallelism = {};
  step.sharding = StateSharding::none;
  step.parameter_servers = false;
  step.offload = {};
  return step;
}

}  // namespace

Seconds whole_batch_time(const Model& model, const StepPlan& step, const StackTerm& stack, const KernelCost& cost) {
  const double size = step.batch_per_accelerator / step.micro_batches;
  const auto time = [&](int micro_batches) {
    StepPlan single = alone(step);
    single.micro_batches = micro_batches;
    single.batch_per_accelerator = size * micro_batches;
    const LoweredPlan lowered = lowered_alone(lower(model, single));
    return StepCost(lowered, single_rank_terms(stack), cost).nominal_time();
  };
  // One rank does all in turn: each micro-batch after the first takes as long as the second.
  const double others = double(step.parallelism.batch_ranks()) * step.micro_batches - 1;
  const Seconds first = time(1);
  return others > 0 ? first + others * (time(2) - first) : first;
}

SingleRank single_rank(const Model& model, const StepPlan& step, const StackTerm& stack, const KernelCost& cost) {
  const double batch = step.batch_per_accelerator;
  StepPlan single = alone(step);
  // Ranks that share samples are compared with one that has all of theirs, and are to be that many times as fast.
  const double own = batch * step.parallelism.batch_ranks() / step.parallelism.ranks(), share = own / batch;
  const auto of_model = [&](const Model& whole) {
    const LoweredPlan lowered = lowered_alone(lower(whole, single));
    const StepCost costed(lowered, single_rank_terms(stack), cost);
    return SingleRank{costed.nominal_time() * share, costed.flop() * share};
  };
  SingleRank rank = of_model(model);
  const bool fused =
      std::any_of(model.layers.begin(), model.layers.end(), [](const Layer& layer) { return layer.flash; });
  if (single.recompute == Recompute::off && !fused) return rank;
  single.recompute = Recompute::off;
  Model plain = model;
  set_attention(plain, AttentionKernels::unfused);
  rank.model_flop = of_model(plain).model_flop;
  return rank;
}

}  // namespace mlsim::sim
