// A plan looks at every way to do a job: systems, sizes, batches, and techniques where memory asks for them.
#pragma once

#include <vector>

#include "studies/namespace.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::studies {

struct PlanSearch {
  std::vector<PlanCandidate> candidates;  // as in CapacityPlan
  std::vector<LeftOut> left_out;
};

/// Systems and sizes are those of plan_systems(). Of each system and size the default batch is asked first; where that
/// comes near the goal, halves and doubles of it too. A job that does not fit is asked with its update sharded, its
/// activations computed again, its model split. Throws InputError for wrong words.
PlanSearch plan_search(const PlanQuestion& question, const KnownFigures& known);

}  // namespace mlsim::studies
