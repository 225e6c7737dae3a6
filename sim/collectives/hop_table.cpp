#include "sim/collectives/hop_table.hpp"

#include <algorithm>

#include "topologies/cluster/cluster_graph.hpp"

namespace mlsim::sim {

HopTable::HopTable(const Cluster& cluster, const LinkEfficiency& efficiency)
    : cluster_(cluster), routes_(cluster), efficiency_(efficiency), hops_from_(cluster.rank_vertex.size()) {
  const std::size_t links = cluster.links();
  target_.resize(links);
  alpha_.resize(links);
  rate_.resize(links);
  load_.resize(links);
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
  std::vector<HopTo>& known = hops_from_[static_cast<std::size_t>(from)];
  if (place_ < known.size() && known[place_].to == to) return known[place_].hop;
  const auto place =
      std::lower_bound(known.begin(), known.end(), to, [](const HopTo& hop, int rank) { return hop.to < rank; });
  place_ = static_cast<std::size_t>(place - known.begin());
  if (place != known.end() && place->to == to) return place->hop;
  const Route found = routes_.route(from, to);
  Seconds software;
  for (const LinkIndex link : found.links) software = max(software, message(link));
  const Hop hop{static_cast<std::uint32_t>(links() + routed_.size()), static_cast<std::uint32_t>(found.links.size()),
                found.latency + software};
  routed_.insert(routed_.end(), found.links.begin(), found.links.end());
  known.insert(place, {to, hop});
  return hop;
}

}  // namespace mlsim::sim
