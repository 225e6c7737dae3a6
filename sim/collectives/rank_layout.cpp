#include "sim/collectives/rank_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/collectives/nvlink_cycles.hpp"
#include "topologies/cluster/cluster_graph.hpp"

namespace mlsim::sim {
namespace {

int node_of(const Cluster& cluster, int rank) { return cluster.graph[cluster.rank_vertex[rank]].node; }

// A closed walk over a grid goes up and down the columns 1 .. X-1 row by row, and back along column 0. With an odd
// number of rows it does not close; the last hop is then longer.
std::vector<int> grid_order(int size_x, int size_y, bool transposed) {
  const auto place = [&](int x, int y) { return transposed ? x * size_y + y : y * size_x + x; };
  std::vector<int> order;
  const bool closes = size_y % 2 == 0 && size_x > 1;
  const int first = closes ? 1 : 0;
  for (int y = 0; y < size_y; ++y) {
    for (int i = first; i < size_x; ++i) order.push_back(place(y % 2 == 0 ? i : size_x - 1 - (i - first), y));
  }
  if (closes) {
    for (int y = size_y - 1; y >= 0; --y) order.push_back(place(0, y));
  }
  return order;
}

std::vector<int> node_order(const std::vector<int>& group, const Cluster& cluster, NodeRings& rings) {
  std::vector<int> order;
  for (const auto& part : node_parts(cluster, group)) {
    const auto& cycles = rings.of(part);
    const auto members = cycles.empty() ? part : at_places(part, cycles.front());
    order.insert(order.end(), members.begin(), members.end());
  }
  return order;
}

}  // namespace

NodeRings::NodeRings(const Cluster& cluster) : cluster_(cluster) {
  if (cluster.interconnect != Interconnect::nvlink_mesh || cluster.grid) return;
  place_.reserve(cluster.rank_vertex.size());
  std::vector<int> seen;  // ranks, by node
  for (int rank = 0; rank < cluster.ranks(); ++rank) {
    const auto node = static_cast<std::size_t>(node_of(cluster, rank));
    if (node >= seen.size()) seen.resize(node + 1, 0);
    place_.push_back(seen[node]++);
  }
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

std::vector<int> at_places(const std::vector<int>& ranks, const std::vector<int>& places) {
  std::vector<int> result;
  result.reserve(places.size());
  for (const int place : places) result.push_back(ranks[place]);
  return result;
}

std::string RankLayout::text() const {
  return whole ? cluster->name : fmt::format("{} in groups of {}", cluster->name, group_size());
}

bool RankLayout::multidimensional() const {
  return std::count_if(shape.begin(), shape.end(), [](const GridDimension& along) { return along.size > 1; }) > 1;
}

bool spans_slices(const RankLayout& layout) { return layout.cluster->slices > 1 && layout.shape.back().size > 1; }

std::string dimension_name(const Cluster& cluster, std::size_t dimension) {
  if (!cluster.grid) return dimension == 0 ? "node" : "network";
  if (cluster.slices > 1 && dimension + 1 == cluster.grid->size()) return "slices";
  return std::string(1, kDimensionNames[dimension]);
}

RankLayout whole_layout(const Cluster& cluster) {
  RankLayout layout;
  layout.cluster = &cluster;
  std::vector<int>& ranks = layout.groups.emplace_back();
  if (cluster.grid) {
    ranks.resize(cluster.rank_vertex.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    layout.shape = *cluster.grid;
    return layout;
  }
  for (const auto& node : ranks_by_node(cluster)) ranks.insert(ranks.end(), node.begin(), node.end());
  layout.shape = shape_on_nodes(cluster, ranks);
  return layout;
}

std::vector<std::vector<int>> ranks_by_node(const Cluster& cluster) {
  std::map<int, std::vector<int>> nodes;
  for (int rank = 0; rank < cluster.ranks(); ++rank) nodes[node_of(cluster, rank)].push_back(rank);
  std::vector<std::vector<int>> result;
  result.reserve(nodes.size());
  for (auto& [node, ranks] : nodes) result.push_back(std::move(ranks));
  return result;
}

std::vector<std::vector<int>> parts_along(const RankLayout& layout, std::size_t dimension) {
  int stride = 1;
  for (std::size_t d = 0; d < dimension; ++d) stride *= layout.shape[d].size;
  const int block = stride * layout.shape[dimension].size;
  std::vector<std::vector<int>> parts;
  for (const auto& group : layout.groups)
    for (int begin = 0; begin < layout.group_size(); begin += block)
      for (int first = begin; first < begin + stride; ++first) {
        std::vector<int>& part = parts.emplace_back();
        part.reserve(layout.shape[dimension].size);
        for (int at = first; at < begin + block; at += stride) part.push_back(group[at]);
      }
  return parts;
}

std::vector<std::vector<int>> node_parts(const Cluster& cluster, const std::vector<int>& group) {
  std::vector<std::vector<int>> parts;
  for (const int rank : group) {
    if (parts.empty() || node_of(cluster, parts.back().front()) != node_of(cluster, rank)) parts.emplace_back();
    parts.back().push_back(rank);
  }
  return parts;
}

Grid shape_on_nodes(const Cluster& cluster, const std::vector<int>& group) {
  const auto parts = node_parts(cluster, group);
  const int ranks = static_cast<int>(group.size()), nodes = static_cast<int>(parts.size());
  const bool equal = std::ranges::all_of(parts, [&](const auto& part) { return part.size() == parts.front().size(); });
  return equal ? Grid{{ranks / nodes}, {nodes}} : Grid{{ranks}};
}

std::vector<std::vector<int>> ring_orders(const RankLayout& layout) {
  std::vector<std::vector<int>> orders;
  if (!layout.cluster->grid) {
    NodeRings rings(*layout.cluster);
    for (const auto& group : layout.groups) orders.push_back(node_order(group, *layout.cluster, rings));
    return orders;
  }
  if (!layout.multidimensional()) return layout.groups;
  const int columns = layout.shape.front().size, rows = layout.group_size() / columns;
  const bool transposed = rows % 2 == 1 && columns % 2 == 0;
  const auto walk = transposed ? grid_order(rows, columns, true) : grid_order(columns, rows, false);
  for (const auto& group : layout.groups) orders.push_back(at_places(group, walk));
  return orders;
}

}  // namespace mlsim::sim
