// A plan chooses among these systems and sizes.
#pragma once

#include <string>
#include <vector>

#include "sim/options/options.hpp"
#include "studies/namespace.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::studies {

struct SystemSize {
  std::string system;
  int accelerators = 1;
  bool operator==(const SystemSize&) const = default;
};

struct PlanSystems {
  std::vector<SystemSize> sizes;  // by system, then size
  std::vector<LeftOut> left_out;  // without the price that is asked for
};

/// Lists the systems that the question names, or all that have a price, each whole, halved as long as that goes without
/// remainder, and doubled up to the most accelerators: a machine comes in any number of nodes, a pod only as large as
/// it is. Of two sizes at one price, parts of a machine that is rented whole, only the larger. Throws InputError for
/// wrong names.
PlanSystems plan_systems(const PlanQuestion& question, const PriceOptions& price);

}  // namespace mlsim::studies
