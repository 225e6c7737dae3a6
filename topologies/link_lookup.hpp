// find_link() finds links by their ends, in logarithmic time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topologies/cluster.hpp"

namespace mlsim::topologies {

/// The link from one vertex to another, if there is one. O(log degree).
std::optional<LinkIndex> find_link(const ClusterGraph& graph, std::uint32_t from, std::uint32_t to);

/// The vertex at the far end of a link. O(1).
std::uint32_t link_target(const ClusterGraph& graph, LinkIndex link);

/// The vertex that a link leaves. O(log vertices).
std::uint32_t link_source(const ClusterGraph& graph, LinkIndex link);

/// The link itself, to change it. O(1).
Link& link_at(ClusterGraph& graph, LinkIndex link);

/// The first link that leaves a vertex, and one past the last. O(1).
struct LinkRange {
  LinkIndex first = 0, last = 0;
};
LinkRange links_from(const ClusterGraph& graph, std::uint32_t vertex);

/// Line rate of the first link of a kind; 0 where there is none. O(links).
BytesPerSecond line_rate(const Cluster& cluster, LinkKind kind);

/// The vertices of one kind next to a vertex, ascending. O(degree).
std::vector<std::uint32_t> neighbours(const ClusterGraph& graph, std::uint32_t vertex, VertexKind kind);
/// The last of them, if any. O(1) where fabric vertices are numbered last, as the builders do.
std::optional<std::uint32_t> last_neighbour(const ClusterGraph& graph, std::uint32_t vertex, VertexKind kind);

}  // namespace mlsim::topologies
