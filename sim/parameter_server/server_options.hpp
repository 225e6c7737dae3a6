// `ServerOptions` are what the user says of parameter servers; a plan of servers is chosen by them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/namespace.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "sim/parameter_server/tensor_placement.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// A `ServerCount` says how many parameter servers there are, and whether they stand on the nodes' hosts or apart.
struct ServerCount {
  bool apart = false;  // on hosts of their own
  int count = 0;       // 0: as many as nodes
  bool operator==(const ServerCount&) const = default;
};

/// Takes "colocated" (one on the host of each node), "colocated:6" (on six of them) or "4" (on four hosts of their
/// own). Throws InputError without a place.
ServerCount parse_server_count(std::string_view text);
std::string text(const ServerCount& servers);  // as parse_server_count reads it

/// TensorFlow keeps variables on every rank, on servers, or on every rank with servers that sum the gradients.
enum class VariableUpdate { replicated, parameter_server, distributed_replicated };

struct ServerOptions {
  std::optional<VariableUpdate> update;      // empty: ranks exchange gradients as other frameworks do
  std::optional<ServerPlan::Device> device;  // empty: the accelerators, as in tf_cnn_benchmarks
  ServerCount count;
  std::optional<TensorPlacement> placement;  // empty: as tf_cnn_benchmarks places them (server_options.cpp)

  /// Tells whether gradients go to servers.
  bool used() const { return update.value_or(VariableUpdate::replicated) != VariableUpdate::replicated; }
  bool operator==(const ServerOptions&) const = default;
};

/// Without a placement variables go to the emptiest server, or round robin where the ranks of several nodes keep
/// copies. Empty where ranks exchange gradients among themselves. Throws InputError where options contradict one
/// another, Infeasible where the machine has no host or no network for them, or the model sends rows of embeddings.
std::optional<ServerPlan> choose_servers(const ServerOptions& options, const Model& model, const Cluster& cluster);

}  // namespace mlsim::sim
