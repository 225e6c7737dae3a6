// A `TrafficWriter` writes down a pull or push as flows: phase by phase, over links that are numbered as they come.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "sim/parameter_server/host_links.hpp"
#include "sim/parameter_server/server_traffic.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

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
