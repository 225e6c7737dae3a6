// A `Blueprint` has the parts of a cluster's graph while it is being put together.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "topologies/cluster/cluster.hpp"

namespace mlsim::topologies {

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
