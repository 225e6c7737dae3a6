// The table of `mlsim list topologies`.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "topologies/system_facts.hpp"

namespace mlsim::reports {

/// Machines, grids and published names, in natural order.
std::string topologies_text(std::vector<SystemFacts> systems);

}  // namespace mlsim::reports
