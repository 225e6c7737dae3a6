#include "sim/collectives/hop_table.hpp"

#include "topologies/cluster/link_lookup.hpp"
#include "topologies/cluster/route.hpp"

namespace mlsim::sim {

HopTable::HopTable(const Cluster& cluster, const LinkEfficiency& efficiency)
    : cluster_(cluster), efficiency_(efficiency) {
  const std::size_t links = cluster.links();
  target_.reserve(links);
  for (LinkIndex i = 0; i < links; ++i) target_.push_back(link_target(cluster.graph, i));
  const std::size_t vertices = boost::num_vertices(cluster.graph);
  first_link_.reserve(vertices + 1);
  first_link_.push_back(0);
  for (std::size_t v = 0; v < vertices; ++v)
    first_link_.push_back(first_link_.back() + static_cast<LinkIndex>(boost::out_degree(v, cluster.graph)));
}

std::optional<LinkIndex> HopTable::direct_link(std::uint32_t from, std::uint32_t to) const {
  constexpr LinkIndex kFew = 8;  // links of a vertex that are quicker walked than halved
  LinkIndex low = first_link_[from], high = first_link_[from + 1];
  while (high - low > kFew) {
    const LinkIndex middle = low + (high - low) / 2;
    (target_[middle] < to ? low : high) = middle;
  }
  const LinkIndex end = first_link_[from + 1];
  while (low < end && target_[low] < to) ++low;
  if (low == end || target_[low] != to) return std::nullopt;
  return low;
}

HopTable::Hop HopTable::hop(int from, int to) {
  const auto vertex = [this](int rank) { return cluster_.rank_vertex[rank]; };
  if (const auto direct = direct_link(vertex(from), vertex(to)))
    return {*direct, 1, cluster_.link(*direct).latency + message(*direct)};
  const std::uint64_t key = (static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint32_t>(to);
  const auto [entry, is_new] = routes_.try_emplace(key);
  if (is_new) {
    const Route found = route(cluster_, from, to);
    Seconds software;
    for (const LinkIndex link : found.links) software = max(software, message(link));
    entry->second = {static_cast<std::uint32_t>(links() + routed_.size()),
                     static_cast<std::uint32_t>(found.links.size()), found.latency + software};
    routed_.insert(routed_.end(), found.links.begin(), found.links.end());
  }
  return entry->second;
}

}  // namespace mlsim::sim
