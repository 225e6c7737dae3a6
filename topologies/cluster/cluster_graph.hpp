// These functions find links of a cluster's graph by their ends, in logarithmic time, and put a graph together.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "topologies/cluster/cluster.hpp"

namespace mlsim::topologies {

/// Finds the link from one vertex to another, if there is one, in O(log degree).
std::optional<LinkIndex> find_link(const ClusterGraph& graph, std::uint32_t from, std::uint32_t to);

/// Gives the vertex at the far end of a link, in O(1).
std::uint32_t link_target(const ClusterGraph& graph, LinkIndex link);

/// Gives the vertex that a link leaves, in O(log vertices).
std::uint32_t link_source(const ClusterGraph& graph, LinkIndex link);

/// Gives the link itself, to change it, in O(1).
Link& link_at(ClusterGraph& graph, LinkIndex link);

/// A range has the first link that leaves a vertex, and one past the last; it is found in O(1).
struct LinkRange {
  LinkIndex first = 0, last = 0;
};
LinkRange links_from(const ClusterGraph& graph, std::uint32_t vertex);

/// Gives the line rate of the first link of a kind, 0 where there is none, in O(links).
BytesPerSecond line_rate(const Cluster& cluster, LinkKind kind);

/// Gives the line rate between the first accelerator and its host's memory, one direction, while all of its node's use
/// theirs: its own link's, else its part of the way up from its PCIe switch; 0 where nothing is known.
BytesPerSecond host_link_rate(const Cluster& cluster);

/// Lists the vertices of one kind next to a vertex, ascending, in O(degree).
std::vector<std::uint32_t> neighbours(const ClusterGraph& graph, std::uint32_t vertex, VertexKind kind);
/// Gives the last of them, if any, in O(1) where fabric vertices are numbered last, as the builders do.
std::optional<std::uint32_t> last_neighbour(const ClusterGraph& graph, std::uint32_t vertex, VertexKind kind);

struct Blueprint {
  std::vector<Vertex> vertices;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;  // from, to of each link
  std::vector<Link> links;

  /// Adds a vertex, numbered among its kind in the order of the calls.
  std::uint32_t add(VertexKind kind, int node);
  /// Adds both directions of one physical link.
  void connect(std::uint32_t a, std::uint32_t b, const Link& link);

 private:
  std::int32_t count_[6] = {};  // by VertexKind
};

/// Builds the graph of the parts; links are ordered by (from, to), which find_link relies on.
ClusterGraph graph_of(const Blueprint& blueprint);
/// Takes a graph apart, for building a changed one.
Blueprint blueprint_of(const ClusterGraph& graph);

}  // namespace mlsim::topologies
