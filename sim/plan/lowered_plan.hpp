// The step graph of a plan, the mesh it runs on, and how its collectives run.
#pragma once

#include <optional>

#include "sim/exchange/planned_exchange.hpp"
#include "sim/mesh/mesh_planner.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "workloads/lowering/lowering.hpp"

namespace mlsim::sim {

struct LoweredPlan {
  StepGraph graph;
  PlannedExchanges collectives;
  std::optional<ChosenMesh> mesh;      // empty where data parallelism is all there is
  std::optional<FusionCycles> cycles;  // of Horovod, where gradients leave as its cycles find them
};

LoweredPlan lower_plan(const Plan& plan, const std::optional<FusionCycles>& cycles = {});

}  // namespace mlsim::sim
