#include "sim/collectives/hop_table.hpp"

#include "topologies/cluster/cluster_graph.hpp"

namespace mlsim::sim {

HopTable::HopTable(const Cluster& cluster, const LinkEfficiency& efficiency)
    : cluster_(cluster), routes_(cluster), efficiency_(efficiency) {
  const std::size_t links = cluster.links();
  target_.resize(links);
  alpha_.resize(links);
  rate_.resize(links);
  for (LinkIndex i = 0; i < links; ++i) {
    const Link& link = cluster.link(i);
    target_[i] = link_target(cluster.graph, i);
    alpha_[i] = link.latency + efficiency_[link.kind].message;
    rate_[i] = efficiency_[link.kind].share * link.bandwidth;
  }
  const std::size_t vertices = boost::num_vertices(cluster.graph);
  first_link_.reserve(vertices + 1);
  first_link_.push_back(0);
  for (std::size_t v = 0; v < vertices; ++v)
    first_link_.push_back(first_link_.back() + static_cast<LinkIndex>(boost::out_degree(v, cluster.graph)));
}

HopTable::Hop HopTable::routed(int from, int to) {
  const std::uint64_t key = (static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint32_t>(to);
  const auto [entry, is_new] = hops_.try_emplace(key);
  if (is_new) {
    const Route found = routes_.route(from, to);
    Seconds software;
    for (const LinkIndex link : found.links) software = max(software, message(link));
    entry->second = {static_cast<std::uint32_t>(links() + routed_.size()),
                     static_cast<std::uint32_t>(found.links.size()), found.latency + software};
    routed_.insert(routed_.end(), found.links.begin(), found.links.end());
  }
  return entry->second;
}

}  // namespace mlsim::sim
