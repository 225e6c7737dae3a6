// A question with every blank filled in: the machine, the model, the batch, the software, and how the step is laid out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/exchange/planned_exchange.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/mesh/mesh_planner.hpp"
#include "sim/namespace.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "sim/plan/request.hpp"
#include "topologies/cluster.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/model/model.hpp"
#include "workloads/pipeline/pipeline.hpp"

namespace mlsim::sim {

struct Plan {
  Cluster cluster;
  Model model;                  // the whole
  ShardedModel part = Model{};  // what one rank computes of it, all stages of a pipeline together
  std::optional<PipelinePlan> pipeline;
  StepPlan step;
  double global_batch = 1;
  std::optional<ServerPlan> servers;  // empty where ranks exchange gradients among themselves
  StackTerm stack;
  std::string recipe;  // empty where the workload has no convergence data
  LinkEfficiency efficiency;
  MeasuredCollectives measured;
  Options options;
  std::vector<std::string> warnings;
};

/// Fills in the blanks. Throws InputError (wrong words and numbers) and Infeasible (does not divide, does not fit).
Plan make_plan(const PredictRequest& request);

/// The step graph of a plan and how its collectives run.
struct LoweredPlan {
  StepGraph graph;
  PlannedExchanges collectives;
  std::optional<ChosenMesh> mesh;      // empty where data parallelism is all there is
  std::optional<FusionCycles> cycles;  // of Horovod, where gradients leave as its cycles find them
};
LoweredPlan lower_plan(const Plan& plan, const std::optional<FusionCycles>& cycles = {});

}  // namespace mlsim::sim
