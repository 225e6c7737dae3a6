#include "sim/costed_step/costed_step.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "sim/collectives/hop_table.hpp"
#include "sim/evidence/open_software.hpp"
#include "sim/evidence/stack_year.hpp"
#include "sim/step_cost/horovod.hpp"
#include "topologies/cluster/cluster_graph.hpp"

namespace mlsim::sim {

CostedStep::CostedStep(Plan plan, LoweredPlan&& lowered, KernelCost kernels, StepBasis basis,
                       std::vector<std::string> warnings)
    : plan_(std::move(plan)),
      lowered_(std::move(lowered)),
      kernels_(std::move(kernels)),
      basis_(std::move(basis)),
      warnings_(std::move(warnings)),
      cost_(lowered_, step_terms(plan_), kernels_) {}

std::unique_ptr<const CostedStep> CostedStep::under(const WhatIf& what_if) const {
  Plan plan = changed(plan_, what_if);
  LoweredPlan lowered = changed(lowered_, plan, what_if);
  return std::make_unique<const CostedStep>(std::move(plan), std::move(lowered),
                                            kernels_.scaled(what_if.compute, what_if.memory), basis_, warnings_);
}

StepDifficulty CostedStep::difficulty() const {
  StepDifficulty step = sim::difficulty(basis_);
  step.log_exchanges = std::log(1 + cost_.exchange_time() / cost_.nominal_time());
  return step;
}

StepInputs CostedStep::inputs(Fidelity fidelity) const {
  StepInputs inputs;
  inputs.graph = lowered_.graph.get();
  inputs.cluster = plan_.cluster.get();
  inputs.plans = &lowered_.collectives;
  if (lowered_.mesh) inputs.roles = lowered_.mesh->mesh.roles();
  inputs.efficiency = plan_.efficiency;
  inputs.fidelity = fidelity;
  inputs.engine = plan_.options.exchange.engine;
  inputs.duration = cost_.durations();
  return inputs;
}

namespace {

bool all_ones(const std::array<double, 5>& factors) {
  return std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; });
}

LinkEfficiency changed(LinkEfficiency efficiency, const WhatIf& what_if) {
  for (std::size_t kind = 0; kind < what_if.latency.size(); ++kind)
    efficiency.by_kind[kind].message *= what_if.latency[kind];
  efficiency.call *= what_if.call;
  return efficiency;
}

// Costs a plan. `open` is set where its stack stands in for one that the question does not name.
CostedStep costed_plan(const PredictRequest& request, Plan plan, QuestionCache& cache,
                       const std::optional<OpenSoftware>& open = {}) {
  KernelCost kernels = own_cost(plan, request);
  StepBasis basis = step_basis(request, plan, kernels, open);
  std::vector<std::string> warnings = plan.cluster->notes;
  const std::vector<std::string>& of_part = plan.part->sharded.notes;
  warnings.insert(warnings.end(), of_part.begin(), of_part.end());
  warnings.insert(warnings.end(), plan.notes.begin(), plan.notes.end());
  if (basis.first && !kernels.transfers_from().empty()) {
    warnings.push_back(fmt::format("no kernel is transferred from {}: a step on {} itself is on record",
                                   fmt::join(kernels.transfers_from(), ", "), plan.cluster->accelerator.name));
    kernels = kernels.without_transfers();
  }
  kernels = kernels.at(basis.pace);
  std::optional<FusionCycles> cycles;
  if (plan.options.exchange.uses_horovod() && plan.cluster->ranks() > 1) cycles = horovod_cycles(plan, kernels);
  LoweredPlan lowered = lower_plan(plan, cycles, &cache);
  return {std::move(plan), std::move(lowered), std::move(kernels), std::move(basis), std::move(warnings)};
}

// A stack that stands for an open one does not change what the job is: the batch, the recipe, and whether it ends at a
// target, stay the open question's.
CostedStep costed_with(PredictRequest request, const StackOnRecord& stack, const Plan& open, QuestionCache& cache,
                       const std::optional<OpenSoftware>& median = {}) {
  request.options.software.stack = stack.stack;
  if (stack.fusion) request.options.software.fusion = stack.fusion;
  request.options.job.recipe = open.software.recipe;
  request.batch_per_accelerator.reset();
  request.global_batch = open.global_batch();
  Plan plan = make_plan(request, {open.cluster, open.sound});
  plan.notes = open.notes;
  plan.software.to_target = open.software.to_target;
  return costed_plan(request, std::move(plan), cache, median);
}

// The result is empty where the question names its software or nothing is on record.
std::optional<OpenSoftware> open_software(const PredictRequest& request, const Plan& plan, QuestionCache& cache) {
  if (!request.options.software.stack.empty() || is_language_model(plan.model.sort)) return std::nullopt;
  const bool to_target = plan.software.to_target && !request.options.job.has_length();
  const std::vector<StackOnRecord> stacks =
      stacks_on_record(asked_run(request, plan), all_evidence(request),
                       to_target ? plan.software.recipe : std::string(), request.options.software.year);
  if (stacks.empty()) return std::nullopt;
  if (stacks.size() == 1) return OpenSoftware{stacks.front(), 1, false, true, false, {}, {}, {}};
  std::vector<StackStep> steps;
  for (const StackOnRecord& stack : stacks) {
    try {
      steps.push_back({stack, costed_with(request, stack, plan, cache).cost().nominal_time()});
    } catch (const Infeasible&) {  // it needs more memory than others
      if (&stack == &stacks.back() && steps.empty()) throw;
    }
  }
  return median_software(std::move(steps));
}

}  // namespace

bool WhatIf::changes_links() const { return !all_ones(bandwidth) || !all_ones(latency) || call != 1; }

Plan changed(Plan plan, const WhatIf& what_if) {
  plan.step.batch_per_accelerator *= what_if.batch;
  if (!what_if.changes_links()) return plan;
  plan.efficiency = changed(plan.efficiency, what_if);
  Cluster cluster = *plan.cluster;
  for (LinkIndex i = 0; i < cluster.links(); ++i) {
    Link& link = link_at(cluster.graph, i);
    link.bandwidth *= what_if.bandwidth[static_cast<std::size_t>(link.kind)];
    link.latency *= what_if.latency[static_cast<std::size_t>(link.kind)];
  }
  plan.cluster = std::make_shared<const Cluster>(std::move(cluster));
  return plan;
}

LoweredPlan changed(const LoweredPlan& lowered, const Plan& plan, const WhatIf& what_if) {
  if (what_if.batch != 1) return lower_plan(plan, lowered.cycles);
  LoweredPlan result = lowered;
  if (!what_if.changes_links()) return result;
  HopTable hops(*plan.cluster, plan.efficiency);
  const auto change = [&](LinkEfficiency own) { return changed(std::move(own), what_if); };
  for (auto& [key, planned] : result.collectives) planned = planned.on(hops, plan.efficiency, change);
  return result;
}

CostedStep costed_step(const PredictRequest& request) {
  QuestionCache cache;
  return costed_step(request, cache);
}

CostedStep costed_step(const PredictRequest& request, QuestionCache& cache) {
  const Activity activity("planning the step");
  Plan plan = plan_of_any_size(request, cache.system);
  const auto open = open_software(request, plan, cache);
  if (const auto year = request.options.software.year; open && later_than(year, open->stack.stack))
    plan.notes.push_back(fmt::format("year={} changes nothing: all software on record of {} on {} is younger", *year,
                                     plan.model.name, plan.cluster->accelerator.name));
  if (!open) {
    check_memory(plan);
    return costed_plan(request, std::move(plan), cache);
  }
  return costed_with(request, open->stack, plan, cache, open);
}

std::shared_ptr<const CostedStep> shared_costed_step(const PredictRequest& request, QuestionCache& cache) {
  return std::shared_ptr<const CostedStep>(new CostedStep(costed_step(request, cache)));  // made in its place
}

}  // namespace mlsim::sim
