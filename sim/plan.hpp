// A question with every blank filled in: the machine, the model, the batch, the software, and how the step is laid out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/link_efficiency.hpp"
#include "sim/predict.hpp"
#include "sim/step.hpp"
#include "topologies/cluster.hpp"
#include "workloads/lowering.hpp"
#include "workloads/memory.hpp"
#include "workloads/model.hpp"

namespace mlsim {

struct Plan {
  Cluster cluster;
  Model model;
  StepPlan step;
  double global_batch = 1;
  StackTerm stack;
  std::string recipe;  // empty where the workload has no convergence data
  bool real_data = false;
  std::optional<Engine> engine;  // as asked
  LinkEfficiency efficiency;
  Settings settings;  // as given
  std::vector<std::string> warnings;
};

/// Fills in the blanks. Throws InputError (wrong words and numbers) and Infeasible (does not divide, does not fit).
Plan make_plan(const PredictRequest& request);

/// The step graph of a plan and how its collectives run.
struct LoweredPlan {
  StepGraph graph;
  CollectivePlans collectives;
};
LoweredPlan lower_plan(const Plan& plan);

}  // namespace mlsim
