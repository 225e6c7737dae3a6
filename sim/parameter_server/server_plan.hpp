// A `ServerPlan` says where TensorFlow of 2017 keeps the variables of a model, and what its servers reach.
//
// A step pulls the variables before its forward pass and pushes gradients behind its backward pass:
//   one box, cpu   variables in host memory: each accelerator reads them over its share of PCIe and writes its
//                  gradients back; the host sums these and updates
//   one box, gpu   variables spread over the accelerators, which read from and write to one another
//   several nodes  the accelerators of a node sum up first (on the host with `cpu`, else among themselves), then each
//                  node talks to the servers, which stand on the nodes' hosts or apart, and hands out what it has read
// (tensorflow/benchmarks, scripts/tf_cnn_benchmarks, variable_mgr.py, 2017; Li et al., OSDI 2014).
#pragma once

#include <cstddef>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// The rates of servers are fitted to the tables of TensorFlow's page and of Horovod's README (docs/models.md).
struct ServerRates {
  BytesPerSecond sum;  // gradients that a host reads and adds up, and variables that it updates
  BytesPerSecond rpc;  // what a process sends, or takes, by gRPC; to one and to many others
  Seconds gpu_tensor;  // for each tensor of an accelerator that crosses the network, one way: it waits for a copy
  Source source;
};
ServerRates fitted_server_rates();

struct ServerPlan {
  enum class Update { parameter_server, distributed_replicated };
  enum class Device { cpu, gpu };
  Update update = Update::parameter_server;
  Device device = Device::cpu;  // of parameter_server
  int apart = 0;                // servers on hosts of their own; 0: one on the host of each node
  std::vector<double> shares;   // of the variables on each server: hosts, or the accelerators of a box with `gpu`
  int tensors = 0;
  ServerRates rates;

  /// Tells whether variables stand on the accelerators of the only box.
  bool on_accelerators(int nodes) const {
    return nodes == 1 && apart == 0 && update == Update::parameter_server && device == Device::gpu;
  }
  /// Tells whether gradients leave during the backward pass. Steps over gRPC as published show none (docs/models.md).
  bool overlaps(int nodes) const { return nodes == 1 && apart == 0; }
  /// Tells whether the accelerators of a node add up among themselves, not on the host.
  bool sums_on_accelerators() const { return update == Update::distributed_replicated || device == Device::gpu; }
  /// Tells whether each of the g accelerators of a node carries 1/g of the variables between the host and itself; the
  /// others have the rest from it.
  bool keeps_parts() const { return update == Update::parameter_server && device == Device::gpu; }
  bool has_network(int nodes) const { return nodes > 1 || apart > 0; }
  /// Returns the share of the variables on a server; 0 where there is none of that number.
  double share(std::size_t server) const { return server < shares.size() ? shares[server] : 0; }
  /// Returns the share of the variables on a node's own host.
  double own_share(std::size_t node) const { return apart > 0 ? 0 : share(node); }
};

}  // namespace mlsim::sim
