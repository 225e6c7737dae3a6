// `ServerOptions` are what the user says of parameter servers.
#pragma once

#include <optional>

#include "sim/namespace.hpp"
#include "sim/parameter_server/server_count.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "sim/parameter_server/tensor_placement.hpp"

namespace mlsim::sim {

/// TensorFlow keeps variables on every rank, on servers, or on every rank with servers that sum the gradients.
enum class VariableUpdate { replicated, parameter_server, distributed_replicated };

struct ServerOptions {
  std::optional<VariableUpdate> update;      // empty: ranks exchange gradients as other frameworks do
  std::optional<ServerPlan::Device> device;  // empty: the accelerators, as in tf_cnn_benchmarks
  ServerCount count;
  std::optional<TensorPlacement> placement;  // empty: as tf_cnn_benchmarks places them (server_choice.cpp)

  /// Tells whether gradients go to servers.
  bool used() const { return update.value_or(VariableUpdate::replicated) != VariableUpdate::replicated; }
  bool operator==(const ServerOptions&) const = default;
};

}  // namespace mlsim::sim
