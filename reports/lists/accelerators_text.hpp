// The table of `mlsim list accelerators`.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "topologies/cluster.hpp"

namespace mlsim::reports {

/// What data sheets say of each, in natural order.
std::string accelerators_text(std::vector<AcceleratorSpec> accelerators);

}  // namespace mlsim::reports
