#include "sim/speed/step_cost.hpp"

#include <cmath>
#include <numeric>

#include "sim/exchange/planned_exchange.hpp"
#include "sim/plan/sample_skew.hpp"
#include "sim/speed/overlap_slowdown.hpp"
#include "workloads/lowering/step_traffic.hpp"

namespace mlsim::sim {
namespace {

// Work of the host for one step: a layer that runs there, or what the framework adds and the input that the step waits
// for.
Seconds host_time(const Plan& plan, const StepNode& node) {
  if (node.part != StepPart::input) return node.host_time;
  const double node_samples = node.samples * plan.cluster.accelerators_per_node;
  // One accelerator's input keeps up; the cost per sample shows when several share a host (docs/models.md, "input").
  const bool waits = plan.options.input.real() && plan.cluster.ranks() > 1;
  return plan.stack.step_overhead + (waits ? plan.stack.input_per_sample * node_samples : Seconds(0));
}

}  // namespace

KernelCost own_cost(const Plan& plan, const PredictRequest& request) {
  const KernelCost cost =
      KernelCost(plan.cluster.accelerator, plan.step.precision, request.builtin_profiles, request.own_profiles)
          .at({1, plan.stack.contention});
  if (request.own_profiles.empty() || !cost.depends_on_step()) return cost;
  return cost.for_step(step_traffic(lower(plan.part, plan.step)));
}

StepCost::StepCost(const Plan& plan, const LoweredPlan& lowered, const KernelCost& cost)
    : plan_(plan), lowered_(lowered), pace_(cost.pace()), order_(lowered.graph) {
  const auto vertices = boost::num_vertices(lowered.graph);
  kernel_.resize(vertices);
  flop_.resize(vertices);
  for (std::size_t v = 0; v < vertices; ++v) {
    const StepNode& node = lowered.graph[v];
    if (is_compute(node)) {
      add_kernels(v, cost);
    } else if (node.kind == NodeKind::host_work) {
      kernel_[v].fixed = host_time(plan, node) * node.repeats;
    } else {
      const Seconds time = lowered.collectives.at(key_of(node)).time(node.payload, plan.efficiency.call);
      kernel_[v].fixed = time * node.repeats;
    }
  }
  skew_ = sample_skew(plan);
}

void StepCost::add_kernels(std::size_t vertex, const KernelCost& cost) {
  const StepNode& node = lowered_.graph[vertex];
  VertexCost& sum = kernel_[vertex];
  const auto add = [&](const KernelWork& work) {
    const KernelTime time = cost.time(work);
    sum.work += time.work * node.repeats;
    sum.fixed += (time.fixed + plan_.stack.per_kernel * work.launches) * node.repeats;
    BasisPart& part = sum.parts[static_cast<std::size_t>(time.basis)];
    part.work += time.work * node.repeats;
    part.fixed += time.fixed * node.repeats;
    part.spread += time.fixed * (time.log_spread * node.repeats);
    flop_[vertex] += work.flop * node.repeats;
  };
  if (node.kind == NodeKind::kernel) return add(node.work);
  // Micro-batches share their sequences.
  const auto [known, fresh] = sequences_.try_emplace({node.sequence.get(), node.repeats}, vertex);
  if (!fresh) {
    sum = kernel_[known->second];
    flop_[vertex] = flop_[known->second];
    return;
  }
  for (const KernelWork& work : *node.sequence) add(work);
}

Flop StepCost::flop() const { return std::accumulate(flop_.begin(), flop_.end(), Flop(0)); }

std::array<StepCost::BasisShare, kCostBases> StepCost::basis_shares() const {
  std::array<BasisShare, kCostBases> shares{};
  Seconds all;
  for (const VertexCost& vertex : kernel_) {
    for (std::size_t basis = 0; basis < kCostBases; ++basis) {
      const BasisPart& part = vertex.parts[basis];
      const Seconds time = part.work / pace_.speed + part.fixed;
      shares[basis].share += time.value;
      shares[basis].log_spread += part.spread.value;
      all += time;
    }
  }
  for (BasisShare& each : shares) {
    if (each.share > 0) each.log_spread /= each.share;
    if (all.value > 0) each.share /= all.value;
  }
  return shares;
}

StepInputs StepCost::inputs(Fidelity fidelity) const {
  StepInputs inputs;
  inputs.graph = &lowered_.graph;
  inputs.cluster = &plan_.cluster;
  inputs.plans = &lowered_.collectives;
  if (lowered_.mesh) inputs.roles = lowered_.mesh->mesh.roles();
  inputs.efficiency = plan_.efficiency;
  inputs.fidelity = fidelity;
  inputs.engine = plan_.options.exchange.engine;
  inputs.duration = durations();
  return inputs;
}

// A kernel of a pass on one of several ranks.
bool StepCost::beside_others(std::size_t vertex) const {
  const StepNode& node = lowered_.graph[vertex];
  const bool pass = node.part == StepPart::forward || node.part == StepPart::backward;
  return pass && is_compute(node) && plan_.step.parallelism.ranks() > 1;
}

std::vector<Seconds> StepCost::durations(const Pace& pace) const {
  std::vector<Seconds> duration;
  duration.reserve(kernel_.size());
  for (std::size_t v = 0; v < kernel_.size(); ++v) {
    const double slowdown = beside_others(v) ? (1 + pace.contention) * skew_ : 1;
    duration.push_back(undisturbed(v, pace) * slowdown);
  }
  const double slowdown = plan_.options.exchange.overlap_slowdown;
  return slowdown == 0 ? duration : slowed_by_exchange(order_, duration, slowdown);
}

double solve_kernel_speed(const Plan& plan, const KernelCost& cost, Seconds measured) {
  const LoweredPlan lowered = lower_plan(plan);
  const StepCost step_cost(plan, lowered, cost);
  double slow = 1e-3, fast = 1e3;
  const auto time = [&](double speed) { return step_cost.nominal_time({speed, cost.pace().contention}); };
  if (time(fast) > measured) return fast;
  while (fast / slow > 1 + 1e-9) {
    const double middle = std::sqrt(slow * fast);
    (time(middle) > measured ? slow : fast) = middle;
  }
  return fast;
}

double solve_contention(const Plan& plan, const KernelCost& cost, Seconds measured) {
  const LoweredPlan lowered = lower_plan(plan);
  const StepCost step_cost(plan, lowered, cost);
  double least = -0.5, most = 20;
  while (most - least > 1e-9) {
    const double middle = (least + most) / 2;
    (step_cost.nominal_time({cost.pace().speed, middle}) > measured ? most : least) = middle;
  }
  return most;
}

SingleRank single_rank(const Plan& plan, const KernelCost& cost) {
  Plan single;  // not a copy: the graph of a large cluster is megabytes
  single.model = plan.model;
  single.stack = plan.stack;
  single.efficiency = plan.efficiency;
  single.cluster.accelerator = plan.cluster.accelerator;
  single.cluster.rank_vertex = {0};
  single.step = plan.step;
  single.step.parallelism = {};
  single.step.sharded_update = single.step.parameter_servers = false;
  // Ranks that share samples are compared with one that has all of theirs, and are to be that many times as fast.
  const double share = plan.global_batch / plan.cluster.ranks() / plan.step.batch_per_accelerator;
  const auto alone = [&] {
    const LoweredPlan lowered{lower(single.model, single.step), {}, {}, {}};
    const StepCost step(single, lowered, cost);
    return SingleRank{step.nominal_time() * share, step.flop() * share};
  };
  SingleRank rank = alone();
  if (!single.step.recompute) return rank;
  single.step.recompute = false;
  rank.model_flop = alone().model_flop;
  return rank;
}

}  // namespace mlsim::sim
