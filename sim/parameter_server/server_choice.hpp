// choose_servers() goes from what the user says of servers to where the variables stand.
#pragma once

#include <optional>

#include "sim/namespace.hpp"
#include "sim/parameter_server/server_options.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// Without a placement variables go to the emptiest server, or round robin where the ranks of several nodes keep
/// copies. Empty where ranks exchange gradients among themselves. Throws InputError where options contradict one
/// another, Infeasible where the machine has no host or no network for them, or the model sends rows of embeddings.
std::optional<ServerPlan> choose_servers(const ServerOptions& options, const Model& model, const Cluster& cluster);

}  // namespace mlsim::sim
