// A `ServerExchange` is a pull or a push of a step, as its planner, its cost and its simulation need it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/text/statement.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "sim/parameter_server/server_cost.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "sim/parameter_server/server_traffic.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// server_program() makes a program of flows from a pull or a push.
/// A rank class has `class_size` ranks; all join every phase, since a sum is there when all have given their part.
FlowProgram server_program(const ServerTraffic& traffic, std::vector<std::uint32_t> class_size);

struct ServerExchange {
  ServerPlan plan;
  CollectiveKind kind = CollectiveKind::parameter_pull;
  ServerCost cost;
  Statement how;  // "8 servers on the nodes' hosts, the fullest with 1.9 times the mean"
};

/// `kind` is parameter_pull or parameter_push.
ServerExchange plan_server_exchange(const Cluster& cluster, const ServerPlan& plan, CollectiveKind kind,
                                    const LinkEfficiency& efficiency);

/// Makes its flows for rank classes of `class_size` ranks each; `folded` is as in server_traffic.hpp.
FlowProgram server_exchange_program(const ServerExchange& exchange, const Cluster& cluster,
                                    const LinkEfficiency& efficiency, std::vector<std::uint32_t> class_size,
                                    bool folded);

}  // namespace mlsim::sim
