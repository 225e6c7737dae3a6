#include "interop/chakra/group_layout.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

namespace mlsim::interop {
namespace {

// The row or the node that a rank is in.
int outer_place(const Cluster& cluster, int rank) {
  if (cluster.grid) return rank / cluster.grid->size_x;
  return cluster.graph[cluster.rank_vertex[static_cast<std::size_t>(rank)]].node;
}

// So many ranks has the group in each of its nodes or rows; as many as it has where they are unequal.
int inner_size(const Cluster& cluster, const std::vector<int>& group) {
  std::set<int> outer, inner;
  for (const int rank : group) {
    outer.insert(outer_place(cluster, rank));
    if (cluster.grid) inner.insert(rank % cluster.grid->size_x);
  }
  const std::size_t each = group.size() / outer.size();
  const auto in = [&](int place) {
    return static_cast<std::size_t>(
        std::count_if(group.begin(), group.end(), [&](int rank) { return outer_place(cluster, rank) == place; }));
  };
  const bool equal = std::all_of(outer.begin(), outer.end(), [&](int place) { return in(place) == each; });
  const bool rectangle = !cluster.grid || inner.size() == each;
  return static_cast<int>(equal && rectangle ? each : group.size());
}

}  // namespace

RankLayout group_layout(const Cluster& cluster, std::vector<std::vector<int>> groups) {
  if (groups.size() == 1 && static_cast<int>(groups.front().size()) == cluster.ranks()) return whole_layout(cluster);
  RankLayout layout;
  layout.cluster = &cluster;
  layout.whole = false;
  for (std::vector<int>& group : groups)
    std::sort(group.begin(), group.end(), [&](int a, int b) {
      return std::pair(outer_place(cluster, a), a) < std::pair(outer_place(cluster, b), b);
    });
  layout.groups = std::move(groups);
  layout.inner = inner_size(cluster, layout.groups.front());
  for (const auto& group : layout.groups)
    if (inner_size(cluster, group) != layout.inner) layout.inner = layout.group_size();
  layout.outer = layout.group_size() / layout.inner;
  if (const auto& grid = cluster.grid) {
    layout.ring_inner = grid->wrap_x && layout.inner == grid->size_x;
    layout.ring_outer = grid->wrap_y && layout.outer == grid->size_y;
  }
  return layout;
}

}  // namespace mlsim::interop
