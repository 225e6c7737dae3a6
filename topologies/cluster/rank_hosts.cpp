#include "topologies/cluster/rank_hosts.hpp"

namespace mlsim::topologies {

std::vector<std::int32_t> rank_hosts(const Cluster& cluster) {
  std::vector<std::int32_t> hosts(cluster.rank_vertex.size());
  const int share = cluster.grid && cluster.host ? cluster.host->accelerators : 0;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    hosts[rank] = share > 0 ? static_cast<std::int32_t>(rank) / share : cluster.graph[cluster.rank_vertex[rank]].node;
  }
  return hosts;
}

}  // namespace mlsim::topologies
