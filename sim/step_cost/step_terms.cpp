#include "sim/step_cost/step_terms.hpp"

#include <algorithm>

#include "sim/plan/step_choice.hpp"

namespace mlsim::sim {

Seconds StepTerms::input_time(const StepNode& node) const {
  return input_per_sample * (node.samples * accelerators_per_node);
}

StepTerms step_terms(const Plan& plan) {
  const StackTerm& stack = plan.software.stack;
  // One accelerator's input keeps up; the cost per sample shows when several share a host (docs/models.md, "input").
  const bool waits = plan.options.input.real() && plan.cluster->ranks() > 1;
  return {.step_overhead = stack.step_overhead,
          .dispatch = stack.dispatch,
          .per_kernel = stack.per_kernel,
          .host_per_kernel = stack.host_per_kernel.value_or(Seconds(0)),
          .input_per_sample = waits ? stack.input_per_sample : Seconds(0),
          .accelerators_per_node = plan.cluster->accelerators_per_node,
          .call = plan.efficiency.call,
          .per_exchange = stack.per_exchange.value_or(Seconds(0)),
          .ranks = plan.cluster->ranks(),
          .skew = sample_skew(plan.model.sample_spread.value, plan.step),
          .overlap_slowdown = plan.options.exchange.overlap_slowdown};
}

double stack_contention(const Plan& plan) {
  const StackTerm& stack = plan.software.stack;
  const auto normalizes = [](const workloads::Layer& layer) {
    return layer.kind == workloads::LayerKind::batch_normalization;
  };
  const bool slows = stack.normalization_contention && !plan.step.fusion &&
                     element_size(plan.step.precision) == Bytes(2) &&
                     std::any_of(plan.model.layers.begin(), plan.model.layers.end(), normalizes);
  const double ranks = plan.cluster->ranks();
  return stack.contention + (slows ? *stack.normalization_contention * (ranks - 1) / ranks : 0);
}

StepTerms single_rank_terms(const StackTerm& stack) {
  return {.step_overhead = stack.step_overhead,
          .dispatch = stack.dispatch,
          .per_kernel = stack.per_kernel,
          .host_per_kernel = stack.host_per_kernel.value_or(Seconds(0)),
          .input_per_sample = Seconds(0),
          .accelerators_per_node = 1,
          .call = Seconds(0),
          .per_exchange = Seconds(0),
          .ranks = 1,
          .skew = 1,
          .overlap_slowdown = 0};
}

}  // namespace mlsim::sim
