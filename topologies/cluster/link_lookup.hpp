// find_link() finds links by their ends, in logarithmic time.
#pragma once

#include <cstdint>
#include <optional>
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

/// Lists the vertices of one kind next to a vertex, ascending, in O(degree).
std::vector<std::uint32_t> neighbours(const ClusterGraph& graph, std::uint32_t vertex, VertexKind kind);
/// Gives the last of them, if any, in O(1) where fabric vertices are numbered last, as the builders do.
std::optional<std::uint32_t> last_neighbour(const ClusterGraph& graph, std::uint32_t vertex, VertexKind kind);

}  // namespace mlsim::topologies
