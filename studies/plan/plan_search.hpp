// A plan looks at every way to do a job: systems and sizes, each as predict answers it.
#pragma once

#include <vector>

#include "studies/namespace.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::studies {

struct PlanSearch {
  std::vector<PlanCandidate> candidates;  // as in CapacityPlan
  std::vector<LeftOut> left_out;
};

/// Systems and sizes are those of plan_systems(). Precision, batch and layout are those that predict chooses where the
/// question leaves them open, so that both tell one story. Throws InputError for wrong words.
PlanSearch plan_search(const PlanQuestion& question, const KnownFigures& known);

}  // namespace mlsim::studies
