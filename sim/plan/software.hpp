// A `Software` is what a step runs with: whose terms hold for it, and what its gradients go through.
#pragma once

#include <optional>
#include <string>

#include "core/profile/profile.hpp"
#include "sim/namespace.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "sim/plan/request.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

struct Software {
  std::string recipe;                 // empty where the workload has no convergence data
  bool to_target = false;             // the recipe's epochs are the model's, as its network is or as the user says
  std::optional<ServerPlan> servers;  // empty where ranks exchange gradients among themselves
  StackTerm stack;                    // with servers the stack's terms for these, where a profile has them
};

/// Chooses as asked, or as is usual for the model on the cluster's accelerators. Throws InputError and Infeasible.
Software choose_software(const PredictRequest& request, const Model& model, const Cluster& cluster);

}  // namespace mlsim::sim
