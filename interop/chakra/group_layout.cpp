#include "interop/chakra/group_layout.hpp"

#include <algorithm>
#include <utility>

namespace mlsim::interop {
namespace {

// How a group lies on the grid or over the nodes; one dimension where it is no box and where the nodes hold unequal
// parts of it.
Grid shape_of(const Cluster& cluster, const std::vector<int>& group) {
  if (!cluster.grid) return shape_on_nodes(cluster, group);
  const auto box = box_of(*cluster.grid, group);
  if (!box) return {{static_cast<int>(group.size())}};
  Grid shape;
  for (std::size_t d = 0; d < box->size(); ++d) {
    const int size = static_cast<int>((*box)[d].size());
    shape.push_back({size, (*cluster.grid)[d].wraps && size == (*cluster.grid)[d].size});
  }
  return shape;
}

}  // namespace

RankLayout group_layout(const Cluster& cluster, std::vector<std::vector<int>> groups) {
  if (groups.size() == 1 && static_cast<int>(groups.front().size()) == cluster.ranks()) return whole_layout(cluster);
  RankLayout layout;
  layout.cluster = &cluster;
  layout.whole = false;
  const auto place = [&](int rank) { return std::pair(cluster.graph[cluster.rank_vertex[rank]].node, rank); };
  for (std::vector<int>& group : groups) std::ranges::sort(group, {}, place);
  layout.groups = std::move(groups);
  layout.shape = shape_of(cluster, layout.groups.front());
  for (const auto& group : layout.groups)
    if (shape_of(cluster, group) != layout.shape) layout.shape = {{layout.group_size()}};
  return layout;
}

}  // namespace mlsim::interop
