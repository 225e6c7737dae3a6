// grid_cluster() builds a grid of accelerators from what was selected.
#pragma once

#include "topologies/construction/selection.hpp"

namespace mlsim::topologies {

/// Builds a torus or mesh, or the smallest box of it that holds `accelerators` (0 = all of it or of slice=). Throws
/// Infeasible where no box does, InputError where the chips have no torus links.
Cluster grid_cluster(const Selection& selection, TopologyOptions options, int accelerators);

}  // namespace mlsim::topologies
