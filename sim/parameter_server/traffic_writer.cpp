#include "sim/parameter_server/traffic_writer.hpp"

#include <utility>

namespace mlsim::sim {

TrafficWriter::TrafficWriter(const Cluster& cluster, const LinkEfficiency& efficiency)
    : route_cost_(cluster, efficiency) {}

void TrafficWriter::begin_phase(const std::string& name) { traffic_.phases.push_back({name, {}}); }

void TrafficWriter::add(const HostLinks::RouteLinks& route, const std::vector<std::uint32_t>& others, double share,
                        Seconds latency) {
  if (share <= 0) return;
  ProgramFlow flow;
  for (const LinkIndex link : route) flow.links.push_back(number(link));
  flow.links.insert(flow.links.end(), others.begin(), others.end());
  flow.share = share;
  flow.latency = latency;
  traffic_.phases.back().flows.push_back(std::move(flow));
}

std::uint32_t TrafficWriter::own_link(BytesPerSecond rate) {
  traffic_.links.push_back(rate);
  return static_cast<std::uint32_t>(traffic_.links.size() - 1);
}

std::uint32_t TrafficWriter::number(LinkIndex link) {
  const auto [place, fresh] = number_.try_emplace(link, static_cast<std::uint32_t>(traffic_.links.size()));
  if (fresh) traffic_.links.push_back(route_cost_.rate(link));
  return place->second;
}

}  // namespace mlsim::sim
