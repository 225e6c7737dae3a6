// The closed form of an all-to-all over all ranks of a large cluster, from the load of its busiest link.
#pragma once

#include "core/units.hpp"
#include "sim/collectives/hop_table.hpp"

namespace mlsim {

/// Time = latency + elements * per_element, for a payload of `elements` per rank.
struct AllToAllCost {
  Seconds latency;
  double per_element = 0;
};

/// On a grid with dimension-ordered routes the load is exact where all links are alike (the slowest one's rate is
/// taken); elsewhere it is the larger of what leaves an accelerator and what leaves a node.
AllToAllCost all_to_all_cost(HopTable& hops);

}  // namespace mlsim
