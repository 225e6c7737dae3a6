// `ServerTraffic` is what a pull or a push moves, phase by phase: the flows between accelerators, hosts and servers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/profile/collective.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "sim/parameter_server/host_links.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// The flows of a phase start together; the next phase begins when the last has ended.
struct ServerPhase {
  std::string name;
  std::vector<ProgramFlow> flows;
};

struct ServerTraffic {
  std::vector<BytesPerSecond> links;
  std::vector<ServerPhase> phases;
};

/// Returns a parameter_pull or a parameter_push with every node, and a flow from each node to each server. Throws
/// Infeasible where these are more than 4 million.
ServerTraffic full_traffic(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency,
                           CollectiveKind kind);

/// Folding takes one node of each class (alike in its links and in the share of the variables that its server holds),
/// and the network as one flow for all that leaves or enters a node or a leaf switch: O(nodes) to make, O(classes) to
/// run. Its phases take as long as those of the full traffic where the busiest link stays busy, which it does with as
/// many servers as nodes or fewer (each worker's flows are then held back by servers, not by its own link).
ServerTraffic folded_traffic(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency,
                             CollectiveKind kind);

}  // namespace mlsim::sim
