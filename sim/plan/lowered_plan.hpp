// A `LoweredPlan` is the step graph of a plan, the mesh it runs on, and how its collectives run.
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

/// These exchanges of ranks that all hold the whole model were planned for some software of a question; other software
/// that says as much over the same machine takes them again.
using ExchangesOfQuestion = std::map<std::tuple<ExchangeKey, Bytes, Traffic>, PlannedExchange>;

/// `known`, where given, is taken from and added to; all its plans are of one question, but for the software.
LoweredPlan lower_plan(const Plan& plan, const std::optional<FusionCycles>& cycles = {},
                       ExchangesOfQuestion* known = nullptr);

}  // namespace mlsim::sim
