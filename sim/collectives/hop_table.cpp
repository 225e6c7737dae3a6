#include "sim/collectives/hop_table.hpp"

#include <numeric>

#include "topologies/link_lookup.hpp"

namespace mlsim {

HopTable::HopTable(const Cluster& cluster, const LinkEfficiency& efficiency) : cluster_(cluster) {
  const std::size_t links = cluster.links();
  costs_.reserve(links);
  for (LinkIndex i = 0; i < links; ++i) {
    const Link& link = cluster.link(i);
    const LinkEfficiency::Entry& entry = efficiency[link.kind];
    costs_.push_back({entry.share * link.bandwidth, link.latency, entry.message});
  }
  places_.resize(links);
  std::iota(places_.begin(), places_.end(), LinkIndex{0});
}

HopTable::Hop HopTable::hop(int from, int to) {
  const auto vertex = [this](int rank) { return cluster_.rank_vertex[static_cast<std::size_t>(rank)]; };
  if (const auto direct = find_link(cluster_.graph, vertex(from), vertex(to)))
    return {*direct, 1, costs_[*direct].latency + costs_[*direct].message};
  const std::uint64_t key = (static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint32_t>(to);
  const auto [entry, is_new] = routes_.try_emplace(key);
  if (is_new) {
    const Route found = route(cluster_, from, to);
    Seconds software;
    for (const LinkIndex link : found.links) software = max(software, costs_[link].message);
    entry->second = {static_cast<std::uint32_t>(places_.size()), static_cast<std::uint32_t>(found.links.size()),
                     found.latency + software};
    places_.insert(places_.end(), found.links.begin(), found.links.end());
  }
  return entry->second;
}

}  // namespace mlsim
