// grid_graph() builds the graphs of tori and meshes.
#pragma once

#include "topologies/cluster/cluster.hpp"

namespace mlsim::topologies {

struct GridLinks {
  Link link;
  int pod = 0;  // links between x = pod-1 and pod, 2 pod-1 and 2 pod ... have `pod_latency`; 0 = none do
  Seconds pod_latency;
};

/// A vertex is a rank; it has up to two neighbours a dimension, each physical link as two directed ones. A dimension of
/// length 2 has one link whether it wraps or not, one of length 1 none. Takes O(ranks).
ClusterGraph grid_graph(const Grid& grid, const GridLinks& links);

/// Drops wraps that are no links of their own (lengths 1 and 2).
Grid with_real_wraps(Grid grid);

}  // namespace mlsim::topologies
