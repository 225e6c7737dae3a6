#include "sim/step_cost/step_terms.hpp"

#include <algorithm>

#include "sim/plan/step_choice.hpp"
#include "topologies/cluster/cluster_graph.hpp"

namespace mlsim::sim {

namespace {

// The update of so many weights on the processors of a host is bound by the host's memory, whatever else it has to do:
// 10 billion parameters of Adam, 28 B each, in 2.57 s on the two Xeon 8168 of a DGX-2 (Ren et al., arXiv:2101.06840,
// table 4, recalled). Other hosts are taken to be as quick.
constexpr BytesPerSecond kHostUpdate(10e9 * 28 / 2.57);
// Racks that count as one node have a host for each tray.
constexpr int kMostAcceleratorsOfHost = 8;

BytesPerSecond host_update(const Plan& plan) {
  if (!plan.step.offload.optimizer) return BytesPerSecond(0);
  const Cluster& cluster = *plan.cluster;
  return kHostUpdate * (1.0 / std::min(cluster.ranks() / cluster.hosts, kMostAcceleratorsOfHost));
}

}  // namespace

BytesPerSecond reached_host_link(const Plan& plan) {
  return plan.efficiency[LinkKind::pcie].share * host_link_rate(*plan.cluster);
}

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
          .overlap_slowdown = plan.options.exchange.overlap_slowdown,
          .host_link = plan.step.offload == Offload() ? BytesPerSecond(0) : reached_host_link(plan),
          .host_update = host_update(plan)};
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
