// The bill of a cluster says which entries of the price list it takes, and how many of each.
#pragma once

#include <vector>

#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Lists the lines for so many accelerators on so many nodes; none where no rule applies.
std::vector<BillLine> bill_for(const std::vector<BillRule>& rules, int accelerators, int nodes);

}  // namespace mlsim::topologies
