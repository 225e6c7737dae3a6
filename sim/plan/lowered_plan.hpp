// The step graph of a plan, the mesh it runs on, and how its collectives run.
#pragma once

#include <map>
#include <optional>
#include <tuple>

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

/// Exchanges of ranks that all hold the whole model, planned for some software of a question and the same for other
/// software that says as much over the same machine.
using ExchangesOfQuestion = std::map<std::tuple<ExchangeKey, Bytes, Traffic>, PlannedExchange>;

/// `known`, where given, is taken from and added to; all its plans are of one question, but for the software.
LoweredPlan lower_plan(const Plan& plan, const std::optional<FusionCycles>& cycles = {},
                       ExchangesOfQuestion* known = nullptr);

}  // namespace mlsim::sim
