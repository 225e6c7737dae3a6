// `SystemFacts` are what somebody who chooses a system wants to know of it at a glance.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/price/prices.hpp"

namespace mlsim::topologies {

struct SystemFacts {
  std::string name;         // "dgx-a100:nodes=2", as asked
  std::string description;  // "NVIDIA DGX A100, 8 A100 40 GB (also dgx-a100-40gb)"; may be empty
  std::string cloud;        // "aws"; empty where nobody rents it out
  AcceleratorSpec accelerator;
  int accelerators = 0, nodes = 1, slices = 1;
  Interconnect interconnect = Interconnect::nvswitch;
  BytesPerSecond inside;             // what one accelerator can send in its node or torus, one direction
  BytesPerSecond network;            // of a node, all NICs, one direction; 0 of a grid and of a node that stands alone
  std::optional<HostSpec> host;      // of a node, or of a few chips of a grid
  std::optional<SystemPrice> price;  // of all of it on demand, the newest
};

/// Lists who rents out machines of this catalogue: "aws", "gcp", ...
std::vector<std::string> cloud_names();

/// Gathers them of the system that build_cluster takes. Throws InputError.
SystemFacts system_facts(const std::string& name);
/// Gathers them of all that topology_entries() lists, in its order.
std::vector<SystemFacts> all_system_facts();

}  // namespace mlsim::topologies
