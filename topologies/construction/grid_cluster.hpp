// grid_cluster() builds a grid of accelerators from what was selected; a slice is the box of it that a job gets.
#pragma once

#include <optional>

#include "topologies/cluster/cluster.hpp"
#include "topologies/construction/selection.hpp"
#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

struct GridLinks {
  Link link;
  int pod = 0;  // links between x = pod-1 and pod, 2 pod-1 and 2 pod ... have `pod_latency`; 0 = none do
  Seconds pod_latency;
  std::optional<Link> between_slices;  // of the last dimension
};

/// A vertex is a rank; it has up to two neighbours a dimension, each physical link as two directed ones. A dimension of
/// length 2 has one link whether it wraps or not, one of length 1 none. Takes O(ranks).
ClusterGraph grid_graph(const Grid& grid, const GridLinks& links);

/// Builds a torus or mesh, or the smallest box of it that holds `accelerators` (0 = all of it or of slice=). Throws
/// Infeasible where no box does, InputError where the chips have no torus links.
Cluster grid_cluster(const Selection& selection, TopologyOptions options, int accelerators);

}  // namespace mlsim::topologies
