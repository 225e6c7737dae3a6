// `ServerTraffic` is what a pull or a push moves, phase by phase: the flows between accelerators, hosts and servers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/units.hpp"
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

/// A `TrafficWriter` writes down a pull or push as flows: phase by phase, over links that are numbered as they come.
class TrafficWriter {
 public:
  /// The arguments must outlive the writer.
  TrafficWriter(const Cluster& cluster, const LinkEfficiency& efficiency);

  void begin_phase(const std::string& name);
  /// Adds a flow of a share of the payload over the links of `route` and those of `others`, as this class numbers them.
  /// Adds none without a share.
  void add(const HostLinks::RouteLinks& route, const std::vector<std::uint32_t>& others, double share, Seconds latency);
  /// Adds a link that is none of the cluster's: a process, or memory that sums are formed in.
  std::uint32_t own_link(BytesPerSecond rate);

  const RouteCost& route_cost() const { return route_cost_; }
  ServerTraffic take() { return std::move(traffic_); }

 private:
  std::uint32_t number(LinkIndex link);

  RouteCost route_cost_;
  std::map<LinkIndex, std::uint32_t> number_;
  ServerTraffic traffic_;
};

}  // namespace mlsim::sim
