// Small clusters with round numbers, built by hand so that expected times can be worked out on paper.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "sim/collectives/schedule.hpp"
#include "tests/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::test {

/// Vertices are numbered as given; `ends` must be sorted.
inline ClusterGraph graph(const std::vector<Vertex>& vertices,
                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ends,
                          const std::vector<Link>& links) {
  ClusterGraph result(boost::edges_are_sorted, ends.begin(), ends.end(), links.begin(), vertices.size(), ends.size());
  for (std::size_t v = 0; v < vertices.size(); ++v) result[v] = vertices[v];
  return result;
}

/// A grid of ICI links of 50 GB/s and 1 us.
inline Cluster grid_cluster(const Grid& grid) {
  const Link link{gigabytes_per_second(50), microseconds(1), LinkKind::ici};
  Cluster cluster;
  cluster.name = "grid";
  cluster.interconnect = Interconnect::torus;
  cluster.grid = grid;
  cluster.injection = gigabytes_per_second(200);
  std::vector<Vertex> vertices;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  int ranks = 1;
  for (const GridDimension& dimension : grid) {
    cluster.name += fmt::format(" {}{}", dimension.size, dimension.wraps ? " wraps" : "");
    ranks *= dimension.size;
  }
  for (int rank = 0; rank < ranks; ++rank) {
    vertices.push_back({VertexKind::accelerator, 0, rank});
    cluster.rank_vertex.push_back(static_cast<std::uint32_t>(rank));
    int stride = 1;
    for (const auto& [size, wraps] : grid) {
      const int at = rank / stride % size;
      const int next = rank + ((at + 1) % size - at) * stride;
      if (at + 1 < size || (wraps && size > 2)) {
        ends.emplace_back(rank, next);
        ends.emplace_back(next, rank);
      }
      stride *= size;
    }
  }
  std::sort(ends.begin(), ends.end());
  cluster.graph = graph(vertices, ends, std::vector<Link>(ends.size(), link));
  return cluster;
}

/// Nodes of accelerators behind one switch each: 100 GB/s and 1 us a port; and one NIC a node, 10 GB/s and 5 us, on a
/// network switch.
inline Cluster switched_cluster(int nodes, int per_node) {
  Cluster cluster;
  cluster.name = fmt::format("{} nodes of {}", nodes, per_node);
  cluster.interconnect = Interconnect::nvswitch;
  cluster.accelerators_per_node = per_node;
  cluster.nodes = nodes;
  cluster.injection = gigabytes_per_second(100);
  cluster.node_network = gigabytes_per_second(nodes > 1 ? 10 : 0);
  const Link port{gigabytes_per_second(100), microseconds(1), LinkKind::nvlink};
  const Link bus{gigabytes_per_second(1000), Seconds(0), LinkKind::pcie};
  const Link nic_link{gigabytes_per_second(10), microseconds(5), LinkKind::nic};
  std::vector<Vertex> vertices;
  std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, Link>> links;
  const auto add = [&](VertexKind kind, int node) {
    vertices.push_back({kind, node, static_cast<std::int32_t>(vertices.size())});
    return static_cast<std::uint32_t>(vertices.size() - 1);
  };
  const auto join = [&](std::uint32_t a, std::uint32_t b, const Link& link) {
    links.push_back({{a, b}, link});
    links.push_back({{b, a}, link});
  };
  std::vector<std::uint32_t> nics;
  for (int node = 0; node < nodes; ++node) {
    for (int i = 0; i < per_node; ++i) cluster.rank_vertex.push_back(add(VertexKind::accelerator, node));
    const std::uint32_t first = cluster.rank_vertex[cluster.rank_vertex.size() - static_cast<std::size_t>(per_node)];
    const std::uint32_t hub = add(VertexKind::link_switch, node), pcie = add(VertexKind::pcie_switch, node);
    const std::uint32_t nic = add(VertexKind::nic, node), host = add(VertexKind::host, node);
    join(pcie, host, bus);
    join(pcie, nic, bus);
    for (int i = 0; i < per_node; ++i) {
      join(first + static_cast<std::uint32_t>(i), hub, port);
      join(first + static_cast<std::uint32_t>(i), pcie, bus);
    }
    nics.push_back(nic);
  }
  const std::uint32_t network = add(VertexKind::network_switch, -1);
  for (const std::uint32_t nic : nics) join(nic, network, nic_link);
  std::sort(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;
  std::vector<Link> costs;
  for (const auto& [end, link] : links) {
    ends.push_back(end);
    costs.push_back(link);
  }
  cluster.graph = graph(vertices, ends, costs);
  return cluster;
}

/// A schedule of one group over ranks 0 .. n-1.
inline Schedule single(CollectiveKind kind, Pattern pattern, int n, std::uint64_t elements, int chunks = 1) {
  PhaseGroup group{pattern, {}, {0, elements}, chunks};
  for (int rank = 0; rank < n; ++rank) group.ranks.push_back(rank);
  return {kind, "test", n, elements, {{{{"phase", {group}}}}}, {}};
}

}  // namespace mlsim::test
