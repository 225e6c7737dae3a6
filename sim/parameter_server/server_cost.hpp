// A `ServerCost` is the closed form of a pull or a push: phase by phase the busiest link decides.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "sim/parameter_server/server_traffic.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// The time has these parts, with S bytes of variables, g accelerators in each of W nodes, s_j the share of server j:
///   copies      max over PCIe links of (accelerators behind it) * S / B; on the host not under g * S / B_sum
///   network     max over nodes of (1 - s_own) S / B and over servers of (W - 1) s_j S / B, B = min(NIC, gRPC);
///               at a leaf switch of m nodes that hold the share s: m (1 - s) S and (W - m) s S over its uplink
///   update      max over servers of s_j (W + 1) S / B_sum (W > 1), S / B_sum in one box
///   on GPUs     max over links of what all pairs, each with the share of the one that holds it, move over it
/// and each phase adds its latency. All is counted from the cluster's links, without the flows of server_traffic.hpp.
class ServerCost {
 public:
  ServerCost(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency, CollectiveKind kind);

  Seconds time(Bytes bytes) const;

 private:
  struct Phase {
    Seconds alpha;
    SecondsPerByte beta;
  };
  std::vector<Phase> phases_;

  class Counter;
};

}  // namespace mlsim::sim
