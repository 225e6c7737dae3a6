// The table of `mlsim list topologies`.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "topologies/build_cluster.hpp"

namespace mlsim::reports {

/// Machines, grids and published names, in natural order.
std::string topologies_text(std::vector<TopologyEntry> entries);

}  // namespace mlsim::reports
