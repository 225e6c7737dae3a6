// A `WhatIf` is the same software on a machine with more or less of a resource, or with another batch.
#pragma once

#include <array>

#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/lowered_plan.hpp"

namespace mlsim::sim {

/// All members are factors; 1 leaves a thing as it is.
struct WhatIf {
  std::array<double, 5> bandwidth{1, 1, 1, 1, 1};  // by LinkKind
  std::array<double, 5> latency{1, 1, 1, 1, 1};    // by LinkKind: of the link and of a message over it
  double call = 1;                                 // latency of each collective as a whole
  double compute = 1;                              // matrix and vector units
  double memory = 1;                               // memory bandwidth
  double batch = 1;                                // samples of every rank; no check that they fit or divide
  bool changes_links() const;
  bool operator==(const WhatIf&) const = default;
};

/// Puts the plan on the changed machine. The kernel speed factor that anchors gave for the real machine goes with it.
Plan changed(Plan plan, const WhatIf& what_if);

/// Costs a lowered plan on the links of `plan`: the schedules stay, so that more of a resource never leads to another
/// algorithm that is slower.
LoweredPlan changed(const LoweredPlan& lowered, const Plan& plan, const WhatIf& what_if);

}  // namespace mlsim::sim
