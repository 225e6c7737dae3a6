#include "sim/speed/costed_step.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "sim/speed/horovod.hpp"

namespace mlsim::sim {

CostedStep::CostedStep(Plan plan, LoweredPlan&& lowered, KernelCost kernels, AnchoredSpeed speed,
                       std::vector<std::string> warnings)
    : plan_(std::move(plan)),
      lowered_(std::move(lowered)),
      kernels_(std::move(kernels)),
      speed_(std::move(speed)),
      warnings_(std::move(warnings)),
      cost_(lowered_, step_terms(plan_), kernels_) {}

std::unique_ptr<const CostedStep> CostedStep::under(const WhatIf& what_if) const {
  Plan plan = changed(plan_, what_if);
  LoweredPlan lowered = changed(lowered_, plan, what_if);
  return std::make_unique<const CostedStep>(std::move(plan), std::move(lowered),
                                            kernels_.scaled(what_if.compute, what_if.memory), speed_, warnings_);
}

StepInputs CostedStep::inputs(Fidelity fidelity) const {
  StepInputs inputs;
  inputs.graph = &lowered_.graph;
  inputs.cluster = &plan_.cluster;
  inputs.plans = &lowered_.collectives;
  if (lowered_.mesh) inputs.roles = lowered_.mesh->mesh.roles();
  inputs.efficiency = plan_.efficiency;
  inputs.fidelity = fidelity;
  inputs.engine = plan_.options.exchange.engine;
  inputs.duration = cost_.durations();
  return inputs;
}

CostedStep costed_step(const PredictRequest& request) {
  Plan plan = make_plan(request);
  KernelCost kernels = own_cost(plan, request);
  AnchoredSpeed speed = anchored_speed(request, plan, kernels);
  std::vector<std::string> warnings = plan.cluster.notes;
  const std::vector<std::string>& of_part = plan.part.sharded.notes;
  warnings.insert(warnings.end(), of_part.begin(), of_part.end());
  if (speed.anchored && !kernels.transfers_from().empty()) {
    warnings.push_back(fmt::format("no kernel is transferred from {}: a step on {} itself is on record",
                                   fmt::join(kernels.transfers_from(), ", "), plan.cluster.accelerator.name));
    kernels = kernels.without_transfers();
  }
  kernels = kernels.at(speed.pace);
  std::optional<FusionCycles> cycles;
  if (plan.options.exchange.uses_horovod() && plan.cluster.ranks() > 1) cycles = horovod_cycles(plan, kernels);
  LoweredPlan lowered = lower_plan(plan, cycles);
  return {std::move(plan), std::move(lowered), std::move(kernels), std::move(speed), std::move(warnings)};
}

}  // namespace mlsim::sim
