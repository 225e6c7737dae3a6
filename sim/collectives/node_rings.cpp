#include "sim/collectives/node_rings.hpp"

#include <algorithm>

#include "sim/collectives/nvlink_cycles.hpp"
#include "sim/collectives/rank_layout.hpp"
#include "topologies/cluster/link_lookup.hpp"

namespace mlsim::sim {

NodeRings::NodeRings(const Cluster& cluster) : cluster_(cluster) {
  if (cluster.interconnect != Interconnect::nvlink_mesh || cluster.grid) return;
  place_.resize(cluster.rank_vertex.size());
  for (const auto& node : ranks_by_node(cluster))
    for (std::size_t i = 0; i < node.size(); ++i) place_[node[i]] = static_cast<int>(i);
}

const std::vector<std::vector<int>>& NodeRings::of(const std::vector<int>& part) {
  if (place_.empty()) return none_;
  std::vector<int> key;  // where they stand, and how many links they have: fewer in a node with a failed one
  for (const int rank : part) {
    key.push_back(place_[rank]);
    const LinkRange links = links_from(cluster_.graph, cluster_.rank_vertex[rank]);
    key.push_back(static_cast<int>(links.last - links.first));
  }
  const auto [entry, fresh] = found_.try_emplace(key);
  if (fresh) {
    entry->second = nvlink_cycles(cluster_, part);
    for (auto& ring : entry->second)
      for (int& rank : ring) rank = static_cast<int>(std::find(part.begin(), part.end(), rank) - part.begin());
  }
  return entry->second;
}

}  // namespace mlsim::sim
