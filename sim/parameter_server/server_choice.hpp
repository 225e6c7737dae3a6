// From the settings to where the variables stand.
#pragma once

#include <optional>

#include "core/settings.hpp"
#include "sim/namespace.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "topologies/cluster.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// Which servers `servers` names: "colocated" (one on the host of each node), "colocated:6" (on six of them) or "4" (on
/// four hosts of their own).
struct ServerCount {
  bool apart = false;
  int count = 0;  // 0: as many as nodes
};
/// Throws InputError without a place.
ServerCount parse_server_count(std::string_view text);

/// By variable_update, local_parameter_device (else the accelerators, as in tf_cnn_benchmarks), servers and
/// server_placement (else round robin, in one box the emptiest accelerator). Empty where ranks exchange gradients among
/// themselves. Throws InputError where settings contradict one another, Infeasible where the machine has no host or no
/// network for them, or the model sends rows of embeddings.
std::optional<ServerPlan> choose_servers(const Settings& settings, const Model& model, const Cluster& cluster);

}  // namespace mlsim::sim
