#include "sim/step_cost.hpp"

#include <cmath>

#include "sim/sample_skew.hpp"

namespace mlsim {
namespace {

// Work of the host for one step: a layer that runs there, or what the framework adds and the input that the step waits
// for.
Seconds host_time(const Plan& plan, const StepNode& node) {
  if (node.part != StepPart::input) return node.host_time;
  const double node_samples = node.samples * plan.cluster.accelerators_per_node;
  // One accelerator's input keeps up; the cost per sample shows when several share a host (docs/models.md, "input").
  const bool waits = plan.real_data && plan.cluster.ranks() > 1;
  return plan.stack.step_overhead + (waits ? plan.stack.input_per_sample * node_samples : Seconds(0));
}

}  // namespace

StepCost::StepCost(const Plan& plan, const LoweredPlan& lowered, const KernelCost& cost)
    : plan_(plan), lowered_(lowered) {
  const auto vertices = boost::num_vertices(lowered.graph);
  kernel_.resize(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    const StepNode& node = lowered.graph[v];
    if (node.kind == NodeKind::kernel) {
      kernel_[v] = cost.time(node.work);
      kernel_[v].fixed += plan.stack.per_kernel * node.work.launches;
      kernel_[v].work *= node.repeats;
      kernel_[v].fixed *= node.repeats;
      flop_ += node.work.flop * node.repeats;
    } else if (node.kind == NodeKind::host_work) {
      kernel_[v].fixed = host_time(plan, node) * node.repeats;
    } else {
      kernel_[v].fixed = lowered.collectives.at(node.collective).cost.time(node.payload);
    }
  }
  skew_ = sample_skew(plan);
}

std::array<double, 3> StepCost::basis_shares() const {
  std::array<double, 3> shares{};
  double all = 0;
  for (std::size_t v = 0; v < kernel_.size(); ++v) {
    if (lowered_.graph[v].kind != NodeKind::kernel) continue;
    const double time = (kernel_[v].work + kernel_[v].fixed).value;
    shares[static_cast<std::size_t>(kernel_[v].basis)] += time;
    all += time;
  }
  for (double& share : shares) share /= all > 0 ? all : 1;
  return shares;
}

StepInputs StepCost::inputs(double speed, Fidelity fidelity, std::optional<Engine> engine) const {
  StepInputs inputs;
  inputs.graph = &lowered_.graph;
  inputs.cluster = &plan_.cluster;
  inputs.plans = &lowered_.collectives;
  inputs.efficiency = plan_.efficiency;
  inputs.fidelity = fidelity;
  inputs.engine = engine;
  inputs.duration = durations(speed, plan_.stack.contention);
  return inputs;
}

std::vector<Seconds> StepCost::durations(double speed, double contention) const {
  const double slowdown = plan_.step.data_parallel > 1 ? (1 + contention) * skew_ : 1;
  std::vector<Seconds> duration;
  duration.reserve(kernel_.size());
  for (std::size_t v = 0; v < kernel_.size(); ++v) {
    const bool exchanged = lowered_.graph[v].part == StepPart::forward || lowered_.graph[v].part == StepPart::backward;
    const Seconds time = kernel_[v].work / speed + kernel_[v].fixed;
    duration.push_back(lowered_.graph[v].kind == NodeKind::kernel && exchanged ? time * slowdown : time);
  }
  return duration;
}

double solve_kernel_speed(const Plan& plan, const KernelCost& cost, Seconds measured) {
  const LoweredPlan lowered = lower_plan(plan);
  const StepCost step_cost(plan, lowered, cost);
  double slow = 1e-3, fast = 1e3;
  if (step_cost.nominal_time(fast) > measured) return fast;
  while (fast / slow > 1 + 1e-9) {
    const double middle = std::sqrt(slow * fast);
    (step_cost.nominal_time(middle) > measured ? slow : fast) = middle;
  }
  return fast;
}

double solve_contention(const Plan& plan, const KernelCost& cost, double speed, Seconds measured) {
  const LoweredPlan lowered = lower_plan(plan);
  const StepCost step_cost(plan, lowered, cost);
  double least = -0.5, most = 20;
  while (most - least > 1e-9) {
    const double middle = (least + most) / 2;
    (step_cost.nominal_time(speed, middle) > measured ? most : least) = middle;
  }
  return most;
}

Seconds single_rank_time(const Plan& plan, const KernelCost& cost, double speed) {
  Plan single;  // not a copy: the graph of a large cluster is megabytes
  single.model = plan.model;
  single.stack = plan.stack;
  single.efficiency = plan.efficiency;
  single.cluster.accelerator = plan.cluster.accelerator;
  single.cluster.rank_vertex = {0};
  single.step = plan.step;
  single.step.data_parallel = 1;
  single.step.sharded_update = false;
  const LoweredPlan lowered{lower(single.model, single.step), {}};
  return StepCost(single, lowered, cost).nominal_time(speed);
}

}  // namespace mlsim
